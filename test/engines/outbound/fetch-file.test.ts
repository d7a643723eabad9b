import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { fileFetcher } from '../../../engines/outbound/clients.ts';
import { outbound } from '../../../engines/outbound/request.ts';
import { logger } from '../../../shared/core/log.ts';
import { systemClock } from '../../../shared/core/time.ts';
import { type Paper, paper, reply } from './paper.ts';
import { FILE } from './scenario.ts';

const ask = { maxBytes: 100, maxRedirects: 1, seconds: 25, ownHosts: ['api.errand.dev'], signal: undefined };

function fetchFrom(drawn: Paper, address = FILE, seconds = 25) {
  const network = paper(drawn);
  const lines: string[] = [];
  const log = logger({ clock: systemClock, minLevel: 'info', write: (line) => lines.push(line) });
  const answer = fileFetcher({ request: outbound(network), log })(address, { ...ask, seconds });
  return { network, lines, answer };
}

it('hands a file over with its headers and the place where the redirects ended', async () => {
  const replies = [reply(301, { location: '/b' }), reply(200, { 'Content-Type': 'a/b' }, 'hello')];
  const file = await fetchFrom({ replies }).answer;
  if (typeof file === 'string') throw new Error(file);
  expect(file).toMatchObject({ url: 'https://files.customer-a.com/b', headers: { 'content-type': 'a/b' } });
  expect(await text(file.body)).toBe('hello');
});

it('tells what it refused from what failed, and the reason to the log alone', async () => {
  const cases = [
    ['refused', 'address', fetchFrom({}, 'https://127.0.0.1/')],
    ['refused', 'own', fetchFrom({}, 'https://api.errand.dev/api/v1/files')],
    ['refused', 'address', fetchFrom({ replies: [reply(302, { location: 'https://10.0.0.1/' })] })],
    ['failed', 'resolve', fetchFrom({ dns: {} })],
    ['failed', 'totalTime', fetchFrom({ fallsSilent: true }, FILE, 0.02)],
  ] as const;
  for (const [kind, reason, { answer, lines }] of cases) {
    expect(await answer).toBe(kind);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ kind, reason }]);
  }
});

it('gives a slow source all of its time, and says who asks', async () => {
  const network = paper({ fallsSilent: true });
  const lines: string[] = [];
  const log = logger({ clock: systemClock, minLevel: 'info', write: (line) => lines.push(line) });
  const request = outbound({ ...network, limits: { headersMs: 5, idleMs: 5 } });
  expect(await fileFetcher({ request, log })(FILE, { ...ask, seconds: 0.1 })).toBe('failed');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ reason: 'totalTime' }]);
  expect(network.notes.requests).toEqual([expect.stringMatching(/^user-agent: errand-files\/1\r\n/im)]);
});

it('hangs up as soon as its signal is aborted, before the answer and in the middle of it', async () => {
  for (const replies of [[], [reply(200, { 'content-length': '50' }, 'some')]]) {
    const network = paper({ replies, fallsSilent: replies.length === 0 });
    const log = logger({ clock: systemClock, minLevel: 'info', write: () => undefined });
    const control = new AbortController();
    const fetching = fileFetcher({ request: outbound(network), log })(FILE, { ...ask, signal: control.signal });
    const reading = fetching.then((file) => (typeof file === 'string' ? file : text(file.body)));
    await expect.poll(() => network.notes.requests.length).toBe(1);
    control.abort(new Error('cancelled'));
    await expect(reading).rejects.toThrow('cancelled');
    await expect.poll(() => network.notes.wires[0]?.destroyed).toBe(true);
  }
});

it.each([300, 304, 403, 404, 500])('takes status %i for a failure and hangs up', async (status) => {
  const { network, answer } = fetchFrom({ replies: [reply(status, { 'content-length': '50' })] });
  expect(await answer).toBe('failed');
  await expect.poll(() => network.notes.wires[0]?.destroyed).toBe(true);
});
