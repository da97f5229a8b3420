/** Makes zod check objects without code that it writes at run time, which content security policies forbid. */

import { z } from "zod";

z.config({ jitless: true });
