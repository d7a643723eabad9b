/** Reads what AWS answers: whole and within a bound, or as it comes. */
import type { Bytes } from '../../shared/ports.ts';
import { type HttpAnswer, tooLate } from './exchange.ts';

/** A batch of DynamoDB holds 16 MB, and JSON may write a byte of it as six. */
const MOST_BYTES = 100 * 1024 * 1024;

/** Breaks off at a silence; not while the reader takes its time. */
export async function* flowing(answer: HttpAnswer, silenceMs: number): Bytes {
  const listen = () => setTimeout(() => answer.destroy(tooLate('go on')), silenceMs);
  let silence = listen();
  try {
    for await (const chunk of answer) {
      clearTimeout(silence);
      yield chunk;
      silence = listen();
    }
  } finally {
    clearTimeout(silence);
  }
}

export async function whole(answer: HttpAnswer, silenceMs: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of flowing(answer, silenceMs)) {
    bytes += chunk.byteLength;
    if (bytes > MOST_BYTES) throw new Error(`AWS answered more than ${MOST_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
