/** The page of the console as the edge answers it: by a function of the edge, because it tells addresses that are known when the stack is. */
import { CONSOLE_CONFIG, type ConsoleConfig, consolePolicy, escapeHtml } from '../shared/core/console.ts';

/** The name the page was asked for under. It stands for the edge's own, which a function of the edge cannot know before. */
const HOST = '{{host}}';

type Places = { filesUrl: string; bytesUrls: string[]; socketsUrl: string | undefined };

/** Whoever does not read goes on to the API, which answers in its own words. */
export function consolePage(html: string, { filesUrl, bytesUrls, socketsUrl }: Places): string {
  const wsUrl = socketsUrl ?? `wss://${HOST}`;
  const config: ConsoleConfig = { filesUrl: `${filesUrl}/api/v1`, agentsUrl: `https://${HOST}`, wsUrl };
  const page = html.replace(CONSOLE_CONFIG, () => escapeHtml(JSON.stringify(config)));
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': consolePolicy([filesUrl, ...bytesUrls, wsUrl]),
    'strict-transport-security': 'max-age=31536000',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  };
  return `var page = ${JSON.stringify(page)};
var headers = ${JSON.stringify(headers)};
function handler(event) {
  var request = event.request;
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    request.headers['x-errand-viewer'] = { value: event.viewer.ip };
    return request;
  }
  var named = function (text) { return text.split('${HOST}').join(request.headers.host.value); };
  var told = {};
  for (var name in headers) told[name] = { value: named(headers[name]) };
  return { statusCode: 200, statusDescription: 'OK', headers: told, body: { encoding: 'text', data: named(page) } };
}`;
}
