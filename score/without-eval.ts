/** Switches off the code generation of zod, because content security policies forbid running generated code. */

import { z } from "zod";

z.config({ jitless: true });
