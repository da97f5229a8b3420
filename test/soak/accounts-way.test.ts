/** A person's way on PostgreSQL; `make test` goes it on SQLite. */

import { describeOnPostgres } from "../accounts/each-database.ts";
import { personsWay, WAY } from "../accounts-way/way-cases.ts";

describeOnPostgres(WAY, personsWay);
