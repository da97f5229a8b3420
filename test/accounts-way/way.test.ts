/** A person's way on SQLite; `make soak` goes it on PostgreSQL too. */

import { describeOnSqlite } from "../accounts/each-database.ts";
import { personsWay, WAY } from "./way-cases.ts";

describeOnSqlite(WAY, personsWay);
