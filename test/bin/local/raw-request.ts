/** Sends requests that `fetch` would normalize. */
import { request } from 'node:http';

type Raw = { port: number; method?: string; path: string; headers?: Record<string, string> };
type Answer = { status: number; headers: Record<string, unknown>; text: string };

export function rawRequest(o: Raw): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', agent: false, method: 'GET', ...o }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part) => parts.push(part));
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: Buffer.concat(parts).toString() }),
      );
    });
    sent.on('error', reject).end();
  });
}

export const pathOf = (address: string): string => address.slice(new URL(address).origin.length);
