/** Keys drawn from the master secret: one for each purpose, so that none can stand in for another. */
import { hkdfSync } from 'node:crypto';
import type { MasterSecret } from '../ports.ts';

export const keyFor = (purpose: string, master: MasterSecret): Buffer =>
  Buffer.from(hkdfSync('sha256', master.key, 'errand', purpose, 32));
