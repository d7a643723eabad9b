/** The program of a hashing thread: one scrypt computation after the other. */
import { scryptSync } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { type ScryptRequest, scryptOptions } from './passwords.ts';

parentPort?.on('message', ({ password, salt, bytes, cost }: ScryptRequest) => {
  parentPort?.postMessage(scryptSync(password, salt, bytes, scryptOptions(cost)));
});
