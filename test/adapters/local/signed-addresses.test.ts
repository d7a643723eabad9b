import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pathOf, rawRequest } from '../../bin/local/raw-request.ts';
import { openLocalBlobs } from '../../ports/local-blobs.ts';
import { stream, textOf } from '../../ports/streams.ts';

const as = { fileName: 'a.txt', contentType: 'text/plain' };

let local: Awaited<ReturnType<typeof openLocalBlobs>>;
beforeEach(async () => {
  local = await openLocalBlobs();
});
afterEach(() => local.close());

const keep = (key: string, text: string) => local.blobs.put(key, stream(text), { maxBytes: 1_000 });
const text = async (key: string) => textOf(await local.blobs.read(key));

describe('the signed addresses of the local product', () => {
  it.each(['..', 'a/../../b', './a', 'a//b', '//a', '%2e%2e/a', 'a\\..\\b', 'a\u0000b', `x${'y'.repeat(899)}`])(
    'are parsed unchanged by every client: key %j',
    async (key) => {
      const put = await fetch(await local.blobs.uploadAddress(key, 60), { method: 'PUT', body: key });
      const got = await fetch(await local.blobs.downloadAddress(key, as, 60));
      expect([put.status, await got.text(), await text(key)]).toEqual([200, key, key]);
    },
  );

  it('are valid until their exact millisecond', async () => {
    await keep('k', 'x');
    const address = await local.blobs.downloadAddress('k', as, 600);
    local.clock.pass(599_999);
    expect((await fetch(address)).status).toBe(200);
    local.clock.pass(1);
    const expired = await fetch(address);
    expect([expired.status, await expired.text()]).toEqual([403, 'This URL has expired: ask for a new one.']);
  });

  it('stay valid after one rotation of the master secret, but not after two', async () => {
    await keep('k', 'x');
    const address = await local.blobs.downloadAddress('k', as, 600);
    await local.secrets.rotate();
    expect((await fetch(address)).status).toBe(200);
    await local.secrets.rotate();
    expect((await fetch(address)).status).toBe(403);
  });

  it('are refused with an added, a repeated or a reordered parameter', async () => {
    await keep('k', 'x');
    const address = await local.blobs.downloadAddress('k', as, 600);
    const [path, ...parameters] = address.split(/[?&]/);
    const changed = [
      `${address}&x=1`,
      `${address}&name=evil.html`,
      `${address}&signature=x`,
      `${path}?name=evil.html&${parameters.join('&')}`,
      `${path}?${[...parameters].reverse().join('&')}`,
      `${path}?${parameters.slice(1).join('&')}&${parameters[0]}&type=text/html`,
    ];
    for (const bad of changed) expect([bad, (await fetch(bad)).status]).toEqual([bad, 403]);
    expect((await fetch(address)).status).toBe(200);
  });

  it('are read alike with a space encoded as + or as %20', async () => {
    await keep('k', 'x');
    const address = await local.blobs.downloadAddress('k', { ...as, fileName: `a b+c'd.txt` }, 600);
    for (const same of [address.replaceAll('+', '%20'), address.replaceAll('%27', "'")]) {
      expect((await rawRequest({ port: local.port, path: pathOf(same) })).headers['content-disposition']).toBe(
        `attachment; filename="a b+c'd.txt"`,
      );
    }
  });

  it('carry a name and a type that a header cannot hold', async () => {
    await keep('k', 'x');
    const strange = { fileName: 'a\r\nb\ud800.txt', contentType: 'text/html\r\nx: y' };
    const answer = await fetch(await local.blobs.downloadAddress('k', strange, 60));
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/octet-stream']);
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="a__b_\.txt"/);
  });

  it.each([0, -1, 1.5, Number.NaN, 604_801])('are not signed for %d seconds', async (seconds) => {
    await expect(local.blobs.uploadAddress('k', seconds)).rejects.toBeInstanceOf(RangeError);
  });
});
