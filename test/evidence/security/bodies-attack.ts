/** Bodies of a wrong shape to every route that takes one: each is refused in words, and none is a fault of the product. */
import { takesBody } from '../../../functions/http/route.ts';
import { bearer, OPERATIONS, requestOf, unknownIds } from './operations.ts';
import { inBatches, type Outcome, type Part } from './part.ts';

const AT_ONCE = 10;

const nested = (open: string, close: string, depth: number): string => `${open.repeat(depth)}1${close.repeat(depth)}`;

type Shape = { name: string; value: string; headers?: Record<string, string>; status: number };

/** The value stands in a field, so that the body itself is an object. */
const SHAPES: readonly Shape[] = [
  { name: '101 arrays', value: nested('[', ']', 101), status: 400 },
  { name: '200,000 arrays', value: nested('[', ']', 200_000), status: 400 },
  { name: '10,000 objects', value: nested('{"a":', '}', 10_000), status: 400 },
  { name: '10,000 schemas', value: nested('{"type":"object","properties":{"a":', '}}', 10_000), status: 400 },
  ...['gzip', 'br', 'zstd', 'x'].map((encoding) => ({
    name: `content-encoding ${encoding}`,
    value: '1',
    headers: { 'content-encoding': encoding },
    status: 415,
  })),
];

export const bodies: Part = {
  name: 'bodies',
  promise: 'A body of any shape is refused in words, and is no fault of the product',
  async run({ on }) {
    const tenant = await on.tenants.found();
    const operations = OPERATIONS.filter(({ method, caller }) => takesBody(method) && caller !== 'anyone');
    const calls = operations.flatMap((operation) => SHAPES.map((shape) => ({ operation, shape })));
    const outcome: Outcome = { what: 'deep and encoded bodies to every route', tried: calls.length, broken: [] };
    await inBatches(calls, AT_ONCE, async ({ operation, shape }) => {
      const { method, path } = requestOf(operation, unknownIds(operation.face));
      const token = operation.face === 'files' ? tenant.apiKey : tenant.tokens.admin;
      const headers = { ...bearer(token), 'content-type': 'application/json', ...shape.headers };
      const sent = { ...(method === undefined ? {} : { method }), path, headers, raw: `{"a":${shape.value}}` };
      const { status, text } = await on.send(operation.face, sent);
      if (status !== shape.status)
        outcome.broken.push(`${operation.name}, ${shape.name}: ${status} ${text.slice(0, 80)}`);
    });
    return [outcome];
  },
};
