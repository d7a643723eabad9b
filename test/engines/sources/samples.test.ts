/** The shipped sources: made-up samples on one machine, public sources on AWS. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { samplesFromCheckout } from '../../../engines/assets/checkout-files.ts';
import { bundledPublicSources, sampleCorpora } from '../../../engines/sources/bundled-sources.ts';
import { bundleSources, publicSources } from '../../../scripts/bundle/sources.ts';
import { KNOWN_SOURCES } from '../../../shared/agents/agent-input.ts';
import { asking, publish } from './publish.ts';

const { seen, state, gather } = await publish();
const bundled = sampleCorpora(samplesFromCheckout());
const DAY_MS = 86_400_000;

describe.each(KNOWN_SOURCES)('the sample of %s', (name) => {
  it('has 15 to 25 items that are marked as fictional, none of the future, without a request', async () => {
    state().clock.pass(DAY_MS / 2 + 1_800_000); // half past midnight
    for (const day of [0, 1, 24, 25, 59, 120, 213, 364]) {
      state().clock.pass(day * DAY_MS);
      const found = await gather(bundled)('any', name, asking());
      expect(found).toMatchObject({ source: name, isSample: true, faults: [], queries: 1 });
      expect(found.items.length).toBeGreaterThanOrEqual(15);
      expect(found.items.length).toBeLessThanOrEqual(25);
      for (const { address, text, title, publishedAt = '' } of found.items) {
        expect(address).toMatch(/^https:\/\/sample-data\.invalid\//);
        expect(title + text).not.toMatch(/[{}]/);
        expect(Date.parse(publishedAt)).toBeLessThanOrEqual(state().clock.now());
      }
      const newest = Date.parse(found.items[0]?.publishedAt ?? '');
      expect(state().clock.now() - newest).toBeLessThan(33 * DAY_MS);
    }
    expect(seen).toEqual([]);
  });

  it('is marked as one by its title and its note', async () => {
    const found = await bundled(name);
    if (!found || !('sample' in found)) throw new Error('There is no sample.');
    expect(found.sample.title).toMatch(/^Sample /);
    expect(found.sample.note).toMatch(/invented/);
  });
});

it('has figures over a year, each of them once for each date', async () => {
  const { items } = await gather(bundled)('any', 'market_data', asking());
  const points = items.flatMap(({ figures = [], publishedAt }) =>
    figures.map(({ label }) => `${label} ${publishedAt}`),
  );
  expect(points.filter((point) => point.startsWith('Eastmere container index')).length).toBeGreaterThanOrEqual(12);
  const monthly = points.filter((point) => point.startsWith('Milling wheat') && /-03T/.test(point));
  expect(new Set(monthly).size).toBe(monthly.length);
});

it('dates a report by the quarter that was over', async () => {
  state().clock.pass(Date.parse('2026-11-20T00:00:00Z') - state().clock.now());
  const { items } = await gather(bundled)('any', 'financial_reports', asking());
  const titles = items.map(({ title, publishedAt }) => `${publishedAt?.slice(0, 10)} ${title}`);
  expect(titles).toContain('2026-10-25 Brightwater Logistics: results for Q3 2026');
  expect(titles).toContain('2026-01-25 Norvik Hydro: results for Q4 2025');
});

it('brings no sample for any other name', async () => {
  for (const name of ['own', '../sources/news_feeds', 'constructor']) expect(await bundled(name)).toBeUndefined();
});

it('bundles public sources for all three names, of HTTPS hosts and nothing secret', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'errand-sources-'));
  try {
    bundleSources(folder);
    const defaults = bundledPublicSources(folder);
    expect(Object.keys(publicSources())).toEqual([...KNOWN_SOURCES].sort());
    for (const name of KNOWN_SOURCES) {
      const found = await defaults(name);
      if (!found || !('source' in found)) throw new Error(`There is no ${name}.`);
      expect(found.source).toMatchObject({ name, connectors: expect.any(Array) });
      expect(JSON.stringify(found.source)).not.toMatch(/key=|token|secret|password/i);
    }
    expect(await defaults('constructor')).toBeUndefined();
  } finally {
    rmSync(folder, { recursive: true });
  }
});
