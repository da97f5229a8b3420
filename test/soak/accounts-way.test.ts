/** The main tasks of a user on PostgreSQL; `make test` runs them on SQLite. */

import { describeOnPostgres } from "../accounts/each-database.ts";
import { personsWay, WAY } from "../accounts-way/way-cases.ts";

describeOnPostgres(WAY, personsWay);
