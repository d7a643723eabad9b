/** Calls the target as a stranger would, over HTTP. */
import { inject } from 'vitest';
import type { Role } from '../../../shared/accounts/caller.ts';
import { type OrganizationName, PASSWORD, userNameOf } from './target.ts';

export const target = inject('target');

export type Reply = { status: number; headers: Headers; text: string; body: Record<string, unknown> };
type CallOptions = {
  method?: string;
  as?: OrganizationName;
  /** The role of the user who calls the agent API; a member by default. */
  role?: Role;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent unchanged. */
  raw?: string | Uint8Array<ArrayBuffer>;
};

export const keyOf = (name: OrganizationName): string => target.organizations[name].apiKey;

const paths = { files: () => target.filesAndTasks, agents: () => target.agents };

export async function call(api: keyof typeof paths, path: string, options: CallOptions = {}): Promise<Reply> {
  const body = options.json === undefined ? options.raw : JSON.stringify(options.json);
  const credential = options.as && (api === 'agents' ? await tokenOf(options.as, options.role) : keyOf(options.as));
  const response = await fetch(paths[api]() + path, {
    method: options.method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(credential ? { authorization: `Bearer ${credential}` } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: objectIn(text) };
}

const tokens = new Map<string, Promise<string>>();

/** The access token of a user of the organization, who logs in once. */
export function tokenOf(organization: OrganizationName, role: Role = 'member'): Promise<string> {
  const username = userNameOf(organization, role);
  const token = tokens.get(username) ?? logIn(username);
  tokens.set(username, token);
  return token;
}

async function logIn(username: string): Promise<string> {
  const { body, text } = await call('agents', '/auth/login', { json: { username, password: PASSWORD } });
  if (typeof body.access_token !== 'string') throw new Error(`${username} could not log in: ${text}`);
  return body.access_token;
}

function objectIn(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

export const askUpload = (as: OrganizationName, headers: Record<string, string> = {}, fileName = 'a.txt') =>
  call('files', '/files', { as, headers, json: { fileName } });
