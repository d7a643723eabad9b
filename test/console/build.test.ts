import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildConsole, type ConsoleFiles } from '../../scripts/console/build.ts';

const MAX_SCRIPT_BYTES = 60 * 1_024;

const addressesIn = (html: string, attribute: string) =>
  [...html.matchAll(new RegExp(`${attribute}="(assets/[^"]+)"`, 'g'))].map(([, address]) => address ?? '');

/** The page's script and its static imports. */
function firstScripts(files: ConsoleFiles, address: string, seen = new Set<string>()): Set<string> {
  if (seen.has(address)) return seen;
  seen.add(address);
  const text = Buffer.from(files.get(address) ?? []).toString();
  for (const [, next] of text.matchAll(/(?:import|from)"\.\/([^"]+)"/g)) firstScripts(files, `assets/${next}`, seen);
  return seen;
}

describe('the built console', () => {
  let files: ConsoleFiles;
  let html: string;
  beforeAll(async () => {
    files = await buildConsole();
    html = Buffer.from(files.get('index.html') ?? []).toString();
  });

  it('contains everything that its page loads, and one place for its configuration', () => {
    const asked = [...addressesIn(html, 'href'), ...addressesIn(html, 'src')];
    expect(asked.length).toBeGreaterThan(2);
    for (const address of asked) expect(files.get(address)?.byteLength, address).toBeGreaterThan(0);
    expect(html.match(/\{\{\w+\}\}/g)).toEqual(['{{config}}']);
  });

  it('preloads everything that its first page imports', () => {
    const [script = ''] = addressesIn(html, 'src');
    const imported = [...firstScripts(files, script)].filter((address) => address !== script);
    expect(addressesIn(html, 'href')).toEqual(expect.arrayContaining(imported));
  });

  it('needs no more than two scripts for its first page', () => {
    const [script = ''] = addressesIn(html, 'src');
    expect(firstScripts(files, script).size).toBeLessThanOrEqual(2);
  });

  it('shows its first page with less than 60 KB of script, gzip', () => {
    const [script = ''] = addressesIn(html, 'src');
    const sizes = [...firstScripts(files, script)].map((address) => gzipSync(files.get(address) ?? '').byteLength);
    const total = sizes.reduce((sum, size) => sum + size, 0);
    expect(total).toBeGreaterThan(10_000);
    expect(total).toBeLessThan(MAX_SCRIPT_BYTES);
  });

  it('has no inline script or style, and evaluates no text as code', () => {
    expect(html).not.toMatch(/<style|<script(?![^>]*\ssrc=)|\sstyle=|\son\w+=/);
    for (const [path, bytes] of files) {
      if (path.endsWith('.js'))
        expect(Buffer.from(bytes).toString(), path).not.toMatch(
          /\beval\(|new Function\(|dangerouslySetInnerHTML=|document\.write/,
        );
    }
  });

  it('is identical in each build', async () => {
    const again = await buildConsole();
    expect([...again.keys()].sort()).toEqual([...files.keys()].sort());
  });
});
