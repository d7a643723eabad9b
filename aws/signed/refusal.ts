/** Says what AWS refused, in the form of the errors that `aws/failures.ts` reads. */
import type { AwsError } from '../failures.ts';
import type { HttpAnswer } from './exchange.ts';

/** What bodiless answers say, such as those to HEAD. */
const UNNAMED: Record<number, string> = { 403: 'Forbidden', 404: 'NotFound', 410: 'GoneException' };
const LONGEST_MESSAGE = 1_000;
const LONGEST_ID = 200;

/** `askedMs`: the pause that AWS asks for. */
export type AwsErrorDetails = AwsError & { askedMs?: number };

type ErrorAnswer = { name: string | undefined; message: string; more?: Record<string, unknown> };

export function toAwsError(answer: Pick<HttpAnswer, 'statusCode' | 'headers'>, body: string): AwsErrorDetails {
  const status = answer.statusCode ?? 0;
  const header = String(answer.headers['x-amzn-errortype'] ?? '');
  const askedMs = Number(answer.headers['x-amz-retry-after']);
  const hiddenBy = answer.headers['x-amz-delete-marker'] === 'true' ? answer.headers['x-amz-version-id'] : undefined;
  const { name, message, more = {} } = body.trimStart().startsWith('<') ? inXml(body) : inJson(body);
  const error = Object.assign(new Error(errorFields(message)), more, {
    $metadata: { httpStatusCode: status, ...requestIdsIn(answer.headers) },
    ...(askedMs > 0 ? { askedMs } : {}),
    ...(typeof hiddenBy === 'string' ? { hiddenBy } : {}),
  });
  error.name = bare(name) ?? bare(header) ?? UNNAMED[status] ?? 'UnknownError';
  return error;
}

/** What AWS Support asks for first. */
function requestIdsIn(headers: HttpAnswer['headers']): { requestId?: string; extendedRequestId?: string } {
  const text = (name: string) => (typeof headers[name] === 'string' ? headers[name].slice(0, LONGEST_ID) : undefined);
  const requestId = text('x-amzn-requestid') ?? text('x-amz-request-id');
  const extendedRequestId = text('x-amz-id-2');
  return { ...(requestId ? { requestId } : {}), ...(extendedRequestId ? { extendedRequestId } : {}) };
}

/** What follows the first line of a wrong signature is what was signed, the token among it: that is for nobody's log. */
const errorFields = (message: string): string => (message.split('\n', 1)[0] ?? '').slice(0, LONGEST_MESSAGE);

/** Without its namespace before `#`, nor an address behind `:`. */
const bare = (name: string | undefined): string | undefined => /^(?:.*#)?(\w[\w.-]{0,120})/.exec(name ?? '')?.[1];

function inJson(body: string): ErrorAnswer {
  const { __type, code, message, Message, Item } = parsed(body);
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  const more = typeof Item === 'object' ? { Item } : {};
  return { name: text(__type) ?? text(code), message: text(message) ?? text(Message) ?? '', more };
}

function parsed(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {}; // a page of something in between; its status tells enough
  }
}

const inXml = (body: string): ErrorAnswer => ({ name: tagIn(body, 'Code'), message: tagIn(body, 'Message') ?? '' });

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The texts of all elements of that name. S3 writes no attributes into those that are read here, and nests none. */
export const tagsIn = (xml: string, name: string): string[] =>
  Array.from(xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g')), ([, found = '']) =>
    found.replace(/&(amp|lt|gt|quot|apos);/g, (_, entity: string) => ENTITIES[entity] ?? ''),
  );

export const tagIn = (xml: string, name: string): string | undefined => tagsIn(xml, name)[0];
