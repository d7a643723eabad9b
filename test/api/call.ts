/** Calls the target as a stranger would, over HTTP. */
import { inject } from 'vitest';
import type { OrganizationName } from './target.ts';

export const target = inject('target');

export type Reply = { status: number; headers: Headers; text: string; body: Record<string, unknown> };
type Asked = {
  method?: string;
  as?: OrganizationName;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as it is. */
  raw?: string | Uint8Array<ArrayBuffer>;
};

export const keyOf = (name: OrganizationName): string => target.organizations[name].apiKey;

const paths = { files: () => target.filesAndTasks, agents: () => target.agents };

export async function call(face: keyof typeof paths, path: string, asked: Asked = {}): Promise<Reply> {
  const body = asked.json === undefined ? asked.raw : JSON.stringify(asked.json);
  const response = await fetch(paths[face]() + path, {
    method: asked.method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(asked.as ? { authorization: `Bearer ${keyOf(asked.as)}` } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...asked.headers,
    },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: objectIn(text) };
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
