/** The trace of a request, for what is kept of it. */
import { parseTrace, type Trace } from '../../shared/core/log.ts';
import type { HttpRequestMessage } from './message.ts';

export function tracedBy({ headers }: Pick<HttpRequestMessage, 'headers'>): { trace?: Trace } {
  const trace = parseTrace(headers.traceparent, headers.tracestate);
  return trace ? { trace } : {};
}
