/** A request handler for AWS's clients whose responses are read as streams, and by readers that may pause. */
import { PassThrough, pipeline, type Readable } from 'node:stream';
import { NodeHttpHandler } from '@smithy/node-http-handler';

type Handle = NodeHttpHandler['handle'];
type StreamTimeouts = { connectionTimeout: number; requestTimeout: number; socketTimeout: number };

export class StreamHandler extends NodeHttpHandler {
  readonly #silenceMs: number;

  /** The library's own timeout of a socket would count the pauses of the reader, during which the socket rests. */
  constructor({ socketTimeout, ...options }: StreamTimeouts & { throwOnRequestTimeout: boolean }) {
    super({ ...options, socketTimeout: 0 });
    this.#silenceMs = socketTimeout;
  }

  override async handle(...request: Parameters<Handle>): ReturnType<Handle> {
    const { response } = await super.handle(...request);
    response.body = limitSilence(response.body, this.#silenceMs);
    return { response };
  }
}

/** Destroys a body of which no chunk arrives for that long while its reader waits. */
function limitSilence(body: Readable, silenceMs: number): Readable {
  const passed = new PassThrough();
  const silence = setTimeout(() => {
    if (passed.writableNeedDrain) silence.refresh();
    else body.destroy(Object.assign(new Error(`AWS sent nothing for ${silenceMs} ms.`), { name: 'TimeoutError' }));
  }, silenceMs);
  const listen = () => silence.refresh();
  const stop = () => {
    passed.off('drain', listen);
    clearTimeout(silence);
  };
  passed.on('drain', listen);
  body.on('data', listen).once('end', stop).once('close', stop);
  // An error of either side destroys the other; the reader gets it from `passed`.
  return pipeline(body, passed, () => undefined);
}
