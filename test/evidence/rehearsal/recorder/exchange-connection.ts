/** Records a call to the gateway's API of open connections, checks the caller's role, and executes the call. */
import { text } from 'node:stream/consumers';
import { ACCOUNT, REGION } from '../stack/template.ts';
import type { Exchange } from './exchange.ts';
import { note } from './note.ts';
import { refuse } from './refusal.ts';

export type Reach = (api: string, o: { method: string; connection: string; message: string }) => number;

const NAMES: Record<string, string> = { POST: 'PostToConnection', GET: 'GetConnection', DELETE: 'DeleteConnection' };
/** The path that lambda/environment.ts puts into the functions' environment. */
const PATH = /^\/([^/]+)\/([^/]+)\/@connections\/([^/]+)$/;

export async function exchangeConnection(exchange: Omit<Exchange, 'upstream'>, reach: Reach): Promise<void> {
  const { request, response, wire, caller, calls } = exchange;
  const { method } = wire;
  const [, api = '', stage, connection = ''] = PATH.exec(wire.path) ?? [];
  const resource = `arn:aws:execute-api:${REGION}:${ACCOUNT}:${api}/${stage}/${method}/@connections/${connection}`;
  const needs = [{ action: 'execute-api:ManageConnections', resource }];
  const call = note(calls, exchange, { name: NAMES[method] ?? method, needs });
  const message = await text(request);
  if (call.refused) return refuse(response, wire, caller.function, call.refused);
  const status = reach(api, { method, connection, message });
  const type = status === 410 ? { 'x-amzn-errortype': 'GoneException' } : {};
  response.writeHead(status, { 'content-type': 'application/json', ...type }).end('{}');
}
