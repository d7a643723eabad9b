/** All parts of the attacks, in the order in which they run. */
import { bodies } from './bodies-attack.ts';
import { calculations } from './calculate-attack.ts';
import { canaries } from './canary-attack.ts';
import { egress } from './egress-attack.ts';
import { flood } from './flood-attack.ts';
import { fuzz } from './fuzz-attack.ts';
import { limits } from './limits-attack.ts';
import { logins } from './logins-attack.ts';
import { memory } from './memory-attack.ts';
import { neighbours } from './neighbours-attack.ts';
import type { Part } from './part.ts';
import { query } from './query-attack.ts';
import { savedFiles } from './saved-files-attack.ts';
import { tenancy } from './tenancy-attack.ts';
import { texts } from './texts-attack.ts';
import { tokens } from './tokens-attack.ts';
import { usage } from './usage-attack.ts';

export const PARTS: readonly Part[] = [
  egress,
  tenancy,
  tokens,
  limits,
  neighbours,
  logins,
  memory,
  query,
  texts,
  calculations,
  usage,
  savedFiles,
  bodies,
  canaries,
  fuzz,
  flood,
];
