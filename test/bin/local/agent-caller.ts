/** Calls the agent API of a started product as users of its first organization. */

import type { Running } from '../../functions/over-http/local-product.ts';
import type { Any } from '../../support/any.ts';

export function agentCaller(product: () => Running) {
  let token = '';
  async function call(path: string, json?: object): Promise<Any> {
    const response = await fetch(product().local.agents.rootUrl + path, {
      method: json ? 'POST' : 'GET',
      headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
      ...(json ? { body: JSON.stringify(json) } : {}),
    });
    return response.json();
  }
  return {
    call,
    async logIn() {
      const [{ username, password } = { username: '', password: '' }] = product().local.organizations;
      token = (await call('/auth/login', { username, password })).access_token;
    },
  };
}
