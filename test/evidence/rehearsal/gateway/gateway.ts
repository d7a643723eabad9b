/** Handles a request as an HTTP API does: finds its route, calls the function, and enforces the gateway's own limits. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Work } from '../lambda/fleet.ts';
import type { Outcome } from '../lambda/runtime.ts';
import type { Request } from '../recorder/recording.ts';
import type { ApiRoute } from '../stack/callers.ts';
import { type Answer, answerOf, BAD_REQUEST, FAILED, TOO_LARGE, UNAVAILABLE } from './answer.ts';
import { type Arrival, eventOf } from './event.ts';
import { decodePath } from './path.ts';
import { findRoute } from './routes.ts';

const MAX_BODY_BYTES = 10_485_760;
/** Lambda's limit, in bytes of JSON. */
const MAX_EVENT_BYTES = 6_291_456;
const PATIENCE_MS = 30_000;

type Invoked = { name: string; invoke(event: unknown, work: Work): Promise<Outcome> };

export type Gateway = {
  api: string;
  routes: ApiRoute[];
  functions: Map<string, Invoked>;
  answered(request: Request): void;
  patienceMs?: number;
};

export async function answerTo(gateway: Gateway, request: IncomingMessage): Promise<Answer> {
  const id = `${randomBytes(11).toString('base64url')}=`;
  const arrival = { api: gateway.api, port: request.socket.localPort ?? 0, requestId: id, at: new Date() };
  const answer = await answerOn(gateway, request, arrival);
  return { ...answer, headers: { ...answer.headers, 'apigw-requestid': id } };
}

async function answerOn(gateway: Gateway, request: IncomingMessage, arrival: Arrival): Promise<Answer> {
  const body = await bodyOf(request);
  if (body.byteLength > MAX_BODY_BYTES) return TOO_LARGE;
  const { method = 'GET', url = '/', rawHeaders, socket } = request;
  const [rawPath = '/', ...query] = url.split('?');
  const path = decodePath(rawPath);
  if (path === undefined) return BAD_REQUEST;
  const found = findRoute(gateway.routes, method, path);
  const called = found && gateway.functions.get(found.route.functionId);
  if (!called) return FAILED;
  const sourceAddress = socket.remoteAddress ?? '';
  const asked = { method, path, queryString: query.join('?'), rawHeaders, body, sourceAddress };
  const event = eventOf(asked, found, arrival);
  if (Buffer.byteLength(JSON.stringify(event)) > MAX_EVENT_BYTES) return TOO_LARGE;
  const work = { route: found.route.key, request: arrival.requestId };
  const answer = await patiently(called.invoke(event, work).then(answerOf), gateway.patienceMs);
  gateway.answered({ function: called.name, route: work.route, id: work.request, status: answer.status });
  return answer;
}

function patiently(answer: Promise<Answer>, ms = PATIENCE_MS): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(UNAVAILABLE), ms);
    answer.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}

/** Reads the whole body, so that a caller who sends too much still gets a response, but stores little more than the limit. */
async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
    bytes += chunk.byteLength;
  }
  return Buffer.concat(chunks);
}
