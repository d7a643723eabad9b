/** Canaries: unique texts, and the search for them in any encoding. */
import { randomBytes } from 'node:crypto';
import { unzipSync } from 'fflate';

/** `secret`: only its owner may see it in plain text. `own`: the customer's texts, which the product stores. */
export type Canary = { name: string; text: string; kind: 'secret' | 'own' };

export function aviary() {
  const canaries: Canary[] = [];
  return {
    canaries,
    /** Creates a canary. */
    hatch(name: string, kind: Canary['kind'] = 'secret'): string {
      return this.ring(name, `cnry${randomBytes(12).toString('hex')}`, kind);
    },
    /** Registers a secret that the product created as a canary. */
    ring(name: string, text: string, kind: Canary['kind'] = 'secret'): string {
      if (text.length < 16) throw new Error(`${name} is too short to be looked for.`);
      canaries.push({ name, text, kind });
      return text;
    },
  };
}

/** Base64 has three encodings of a text, by its offset; the characters at the edges depend on the neighbouring bytes. */
const in64 = (text: string): string[] =>
  [0, 1, 2].flatMap((shift) => {
    const digits = Buffer.from('x'.repeat(shift) + text)
      .toString('base64')
      .replace(/=+$/, '');
    const middle = digits.slice(shift === 0 ? 0 : 4, -4);
    return [middle, middle.replaceAll('+', '-').replaceAll('/', '_')];
  });

const formsOf = (text: string): string[] => [
  ...new Set([
    text,
    encodeURIComponent(text),
    JSON.stringify(text).slice(1, -1),
    Buffer.from(text).toString('hex'),
    ...in64(text),
    [...text].reverse().join(''),
  ]),
];

const ZIP = Buffer.from('PK\u0003\u0004');

/** The bytes themselves, and the contents of ZIP archives. */
function unpack(bytes: Uint8Array): Uint8Array[] {
  const buffer = Buffer.from(bytes);
  if (!buffer.subarray(0, 4).equals(ZIP)) return [buffer];
  try {
    return [buffer, ...Object.values(unzipSync(buffer)).flatMap(unpack)];
  } catch {
    return [buffer];
  }
}

/** Returns the names of the canaries that occur. */
export function findCanaries(bytes: Uint8Array | string, canaries: readonly Canary[]): string[] {
  const texts = unpack(Buffer.from(bytes)).map((part) => Buffer.from(part));
  return canaries.flatMap(({ name, text }) =>
    formsOf(text).some((form) => texts.some((part) => part.includes(form))) ? [name] : [],
  );
}
