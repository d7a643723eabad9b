/** Runs the handler of a Node.js function on the event of standard input: FOLDER-OF-FUNCTION. */
import http from 'node:http';
import https from 'node:https';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';

const [folder = ''] = process.argv.slice(2);
const event = (await json(process.stdin)) as { ResponseURL: string };
const { port } = new URL(event.ResponseURL);

// The handler always answers over TLS and on its standard port, as the URLs of CloudFormation need nothing else.
const overHttp = (options: http.RequestOptions, onResponse: (response: http.IncomingMessage) => void) =>
  http.request({ ...options, port }, onResponse);
https.request = overHttp as typeof https.request;

await createRequire(import.meta.url)(join(folder, 'index.js')).handler(event);
