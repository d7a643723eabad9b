/** Reads a request's JSON body and checks it against the route's schema. */
import * as v from 'valibot';
import { Problem } from '../../shared/core/problem.ts';
import type { Api, ShellContext } from './face.ts';
import type { HttpRequestMessage } from './message.ts';
import type { Route } from './route.ts';
import { warningsAbout } from './unknown-fields.ts';

const MOST_BODY_BYTES = 1_000_000;

/** As browsers and mail programs send them. */
const FORMS = new Set(['application/x-www-form-urlencoded', 'multipart/form-data']);

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The checks that need no schema; they come before an idempotency key is looked at. What comes with a GET or a DELETE is never read. */
export function checkTransport(
  { method, body, headers }: HttpRequestMessage,
  { takesForm }: Pick<Route<never>, 'takesForm'>,
) {
  if (method !== 'POST') return;
  if (body.byteLength > MOST_BODY_BYTES) {
    throw new Problem('tooLarge', `A body has at most ${MOST_BODY_BYTES} bytes.`);
  }
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (body.byteLength > 0 && type !== 'application/json' && !(takesForm && FORMS.has(type ?? ''))) {
    throw new Problem('unsupportedType', 'Send the body as JSON, with content-type: application/json.');
  }
}

/** `warnings` name the fields that the schema does not know. */
type Body = { body: unknown; warnings: string[] };

export function bodyOf<C extends ShellContext>(
  face: Api<C>,
  schema: v.GenericSchema | undefined,
  incoming: HttpRequestMessage,
  { takesForm }: Pick<Route<never>, 'takesForm'>,
): Body {
  if (incoming.method !== 'POST' || takesForm) return { body: undefined, warnings: [] };
  const given = objectOf(face, incoming.body);
  if (!schema) return { body: undefined, warnings: [] };
  const parsed = v.safeParse(schema, given);
  if (parsed.success) return { body: parsed.output, warnings: warningsAbout(schema, given) };
  throw face.invalid(parsed.issues);
}

function objectOf<C extends ShellContext>(face: Api<C>, bytes: Uint8Array): object {
  if (bytes.byteLength === 0) return {};
  const json = parsedJson(bytes);
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json;
  if (face.takesAnyJson) return {};
  throw new Problem('invalid', 'The body must be a JSON object.');
}

function parsedJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (cause) {
    throw new Problem('invalid', 'The body is not valid JSON.', { cause });
  }
}
