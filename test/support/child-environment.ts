/** The environment of programs that know nothing of this process but where sources lie compiled, which halves their start. */
import { join } from 'node:path';

export const CHILD_ENVIRONMENT = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: join(import.meta.dirname, '../../.cache/compiled'),
};
