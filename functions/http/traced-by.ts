/** The trace of a request, for what is kept of it. */
import { type Trace, traceIn } from '../../shared/core/trace.ts';
import type { Incoming } from './message.ts';

export function tracedBy({ headers }: Pick<Incoming, 'headers'>): { trace?: Trace } {
  const trace = traceIn(headers.traceparent, headers.tracestate);
  return trace ? { trace } : {};
}
