/** The whole life of an account, with its store on SQLite. `make soak` runs the same test on PostgreSQL too. */

import { describeOnSqlite } from "../accounts/each-database.ts";
import { personsWay, WAY } from "./way-cases.ts";

describeOnSqlite(WAY, personsWay);
