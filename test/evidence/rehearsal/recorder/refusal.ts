/** Writes each service's error for a call that the role does not allow. */
import type { ServerResponse } from 'node:http';
import type { Need } from './allows.ts';
import type { Wire } from './wire.ts';

export function refuse(response: ServerResponse, { service, method }: Wire, function_: string, need: Need): void {
  const message =
    `User: ${function_} is not authorized to perform: ${need.action} on resource: ${need.resource} ` +
    'because no identity-based policy allows the action';
  if (service === 's3') {
    const error = `<Error><Code>AccessDenied</Code><Message>${escaped(message)}</Message></Error>`;
    response.writeHead(403, { 'content-type': 'application/xml' });
    response.end(method === 'HEAD' ? '' : `<?xml version="1.0" encoding="UTF-8"?>\n${error}`);
    return;
  }
  response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
  response.end(JSON.stringify({ __type: 'com.amazon.coral.service#AccessDeniedException', message, Message: message }));
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
