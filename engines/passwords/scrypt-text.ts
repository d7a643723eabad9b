/** How a password's hash is written down: `$scrypt$ln=17,r=8,p=1$<salt>$<hash>`, its cost beside it. */

/** N is 2 to the power of `logCost`. */
export type ScryptCost = { logCost: number; blockSize: number; parallelism: number };
export type ScryptHash = { cost: ScryptCost; salt: Buffer; hash: Buffer };

const TEXT = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w+/]+)\$([\w+/]+)$/;

const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

export const formatHash = ({ cost, salt, hash }: ScryptHash): string =>
  `$scrypt$ln=${cost.logCost},r=${cost.blockSize},p=${cost.parallelism}$${base64(salt)}$${base64(hash)}`;

export function parseHash(text: string): ScryptHash {
  const [, logCost, blockSize, lanes, salt, hash] = TEXT.exec(text) ?? [];
  if (salt === undefined || hash === undefined) throw new Error('This is not the hash of a password.');
  return {
    cost: { logCost: Number(logCost), blockSize: Number(blockSize), parallelism: Number(lanes) },
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
}
