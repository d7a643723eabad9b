/** A request handler for AWS's clients with an upper bound for the responses that a client collects in memory. */
import { pipeline, type Readable, Transform } from 'node:stream';
import { NodeHttpHandler } from '@smithy/node-http-handler';

/** A batch of DynamoDB holds 16 MB, and JSON may escape each byte as six. */
const MAX_BYTES = 100 * 1024 * 1024;

const tooLongError = (): Error => new Error(`AWS answered more than ${MAX_BYTES} bytes.`);

type Handle = NodeHttpHandler['handle'];

export class BoundedHandler extends NodeHttpHandler {
  override async handle(...request: Parameters<Handle>): ReturnType<Handle> {
    const { response } = await super.handle(...request);
    const length = response.headers['content-length'];
    if (length === undefined) response.body = limitBytes(response.body);
    else if (Number(length) > MAX_BYTES) {
      response.body.destroy();
      throw tooLongError();
    }
    return { response };
  }
}

/** Counts a body that does not announce its length. */
function limitBytes(body: Readable): Readable {
  let bytes = 0;
  const counter = new Transform({
    transform(chunk: Uint8Array, _encoding, pass) {
      bytes += chunk.byteLength;
      pass(bytes > MAX_BYTES ? tooLongError() : null, chunk);
    },
  });
  // An error of either side destroys the other; the reader gets it from the counter.
  return pipeline(body, counter, () => undefined);
}
