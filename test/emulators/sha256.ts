/** All that AWS's library of signatures leaves to others. */
import { createHash, createHmac } from 'node:crypto';

export class Sha256 {
  #hash;
  constructor(secret?: unknown) {
    this.#hash = secret ? createHmac('sha256', secret as Uint8Array) : createHash('sha256');
  }
  update(bytes: Uint8Array): void {
    this.#hash.update(bytes);
  }
  digest = async (): Promise<Uint8Array> => this.#hash.digest();
  reset(): void {}
}
