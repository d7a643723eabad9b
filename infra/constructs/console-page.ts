/** The page of the console, returned by a CloudFront function because it contains URLs that are known only with the stack. */
import { CONSOLE_CONFIG, type ConsoleConfig, consolePolicy, escapeHtml } from '../../shared/core/console-page.ts';

/** A placeholder for the host name of the request. CloudFront's own name is not known when the function is created. */
const HOST = '{{host}}';

type PageUrls = { filesUrl: string; bucketUrls: string[]; socketsUrl: string | undefined };

/** Requests other than GET and HEAD go to the API, which rejects them. */
export function consolePage(html: string, { filesUrl, bucketUrls, socketsUrl }: PageUrls): string {
  const wsUrl = socketsUrl ?? `wss://${HOST}`;
  const config: ConsoleConfig = { filesUrl: `${filesUrl}/api/v1`, agentsUrl: `https://${HOST}`, wsUrl };
  const page = html.replace(CONSOLE_CONFIG, () => escapeHtml(JSON.stringify(config)));
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': consolePolicy([filesUrl, ...bucketUrls, wsUrl]),
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
  var sent = {};
  for (var name in headers) sent[name] = { value: named(headers[name]) };
  return { statusCode: 200, statusDescription: 'OK', headers: sent, body: { encoding: 'text', data: named(page) } };
}`;
}
