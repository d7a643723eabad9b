/** A request and an answer as every transport brings them: API Gateway's events and the local server's sockets. */

export type HttpRequestMessage = {
  method: string;
  path: string;
  query: URLSearchParams;
  /** Names in lower case; a repeated header joined by a comma. */
  headers: Readonly<Record<string, string | undefined>>;
  body: Uint8Array;
  /** The network address at the gateway's own end of the connection. */
  sourceAddress: string;
  /** Where we are reached: what the caller says it is, and what the transport knows it to be. */
  hosts: string[];
  /** Aborted when the caller goes away before the answer. Absent where the transport does not tell. */
  signal?(): AbortSignal;
};

export type HttpResponse = { status: number; headers: Record<string, string>; body: string };
