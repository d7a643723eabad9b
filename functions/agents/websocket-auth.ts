/** `POST /websocket-auth`: what a person shows to open a WebSocket. */
import { issueWebsocketToken } from '../../shared/accounts/access-tokens.ts';
import { type Route, route } from '../http/route.ts';
import type { AgentsContext } from './api.ts';
import { SOCKET_TOKENS } from './limits.ts';

export const websocketAuth: Route<AgentsContext> = route<AgentsContext, 'viewer'>({
  method: 'POST',
  path: '/api/v1/websocket-auth',
  about: 'Gives a token that opens one WebSocket connection.',
  caller: 'viewer',
  limit: SOCKET_TOKENS,
  replies: { 200: 'The token, and for how many seconds it holds.' },
  idempotent: false,
  async run({ caller }, context) {
    const { token, seconds } = await issueWebsocketToken(context, caller);
    return { status: 200, body: { websocket_token: token, expires_in: seconds } };
  },
});
