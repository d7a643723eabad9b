/** Reads a JSON body and checks it against the route's schema. */

import * as v from 'valibot';
import { Problem } from '../../shared/core/problem.ts';
import { type Api, type ApiContext, type HttpRequestMessage, type Route, takesBody } from './route.ts';
import { warningsAbout } from './unknown-fields.ts';

const MAX_BODY_BYTES = 1_000_000;

/** The content types that browsers and mail clients send for forms. */
const FORMS = new Set(['application/x-www-form-urlencoded', 'multipart/form-data']);

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The checks without a schema, which run before the idempotency key is looked up. The body of a GET or DELETE is never read. */
export function checkTransport(
  { method, body, headers }: HttpRequestMessage,
  { takesForm }: Pick<Route<never>, 'takesForm'>,
) {
  if (!takesBody(method)) return;
  if (body.byteLength > MAX_BODY_BYTES) {
    throw new Problem('tooLarge', `A body has at most ${MAX_BODY_BYTES} bytes.`);
  }
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (body.byteLength > 0 && encoding !== '' && encoding !== 'identity') {
    throw new Problem('unsupportedType', 'Send the body as it is, without content-encoding.');
  }
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (body.byteLength > 0 && type !== 'application/json' && !(takesForm && FORMS.has(type ?? ''))) {
    throw new Problem('unsupportedType', 'Send the body as JSON, with content-type: application/json.');
  }
}

/** `warnings` name the fields that the schema does not know. */
type Body = { body: unknown; warnings: string[] };

export function bodyOf<C extends ApiContext>(
  api: Api<C>,
  schema: v.GenericSchema | undefined,
  incoming: HttpRequestMessage,
  { takesForm }: Pick<Route<never>, 'takesForm'>,
): Body {
  if (!takesBody(incoming.method) || takesForm) return { body: undefined, warnings: [] };
  const body = parseObject(api, incoming.body);
  if (!schema) return { body: undefined, warnings: [] };
  const parsed = v.safeParse(schema, body);
  if (parsed.success) return { body: parsed.output, warnings: warningsAbout(schema, body) };
  throw api.invalid(parsed.issues);
}

function parseObject<C extends ApiContext>(api: Api<C>, bytes: Uint8Array): object {
  if (bytes.byteLength === 0) return {};
  if (isDeeperThan(MAX_DEPTH, bytes)) {
    throw new Problem('invalid', `The body is nested more than ${MAX_DEPTH} objects and arrays deep.`);
  }
  const json = parseJson(bytes);
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json;
  if (api.takesAnyJson) return {};
  throw new Problem('invalid', 'The body must be a JSON object.');
}

/** No field needs more. Whatever walks or serializes a body that is much deeper runs out of stack. */
const MAX_DEPTH = 100;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const OPENING: ReadonlySet<number> = new Set(Buffer.from('[{'));
const CLOSING: ReadonlySet<number> = new Set(Buffer.from(']}'));

/** Counts brackets outside of strings. Bytes that are not JSON may be counted wrongly; they are refused anyway. */
function isDeeperThan(maxDepth: number, bytes: Uint8Array): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) isInString = !isInString;
    else if (isInString) at += byte === BACKSLASH ? 1 : 0;
    else if (OPENING.has(byte) && ++depth > maxDepth) return true;
    else if (CLOSING.has(byte)) depth--;
  }
  return false;
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (cause) {
    throw new Problem('invalid', 'The body is not valid JSON.', { cause });
  }
}
