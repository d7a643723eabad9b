/** What the largest research stores after each of its stages: rows within what DynamoDB takes, and one blob. */
import { afterEach, expect, it } from 'vitest';
import type { SearchHit } from '../../../engines/sources/search-presets.ts';
import { checkpointDrafts } from '../../../shared/tasks/checkpoints.ts';
import { createMeter } from '../../../shared/usage/meter.ts';
import { proves } from '../../support/proves.ts';
import { openResearch } from './setup.ts';

/** Of an item, with its keys. */
const MAX_ROW = 400_000;

let at: ReturnType<typeof openResearch>;
afterEach(() => at.close());

/** Longer than is read of a page, in letters of three bytes, with what JSON must escape, and names that lead on. */
const textOf = (nth: number): string => {
  const sentence = `„港“ "${nth}" \\ Die Hafengebühren in Eastmere stiegen ${2_000 + nth} um ${nth} Prozent, sagte Ilka Vandrey${nth}. `;
  return `${sentence}${'港湾使用料金"は上昇した\\。'.repeat(5_000)}`;
};

it('keeps each row of the largest research below 400 KB', async ({ task }) => {
  let found = 0;
  const pages: Record<string, { text: string }> = {};
  at = openResearch({ financial_reports: {}, market_data: {}, news_feeds: {} }, undefined, pages);
  at.ports.searchConnector = async () => ({
    name: 'searxng',
    search: async ({ count }) => {
      const hits = Array.from({ length: Math.min(60, count) }, (): SearchHit => {
        const url = `https://p${++found}.errand-tests.org/`;
        pages[url] = { text: textOf(found) };
        return {
          url,
          title: `Eastmere port fees ${found}`,
          snippet: 'Port fees.',
          text: textOf(found).slice(0, 60_000),
        };
      });
      return { hits, notes: [] };
    },
  });
  const input = {
    ...{ query: 'How did the port fees of Eastmere change and why did Ilka Vandrey raise them?', sources: [] },
    ...{ depth: 'comprehensive', analysis_depth: 'expert', length: 'long' as const },
  };
  const work = {
    ...{ address: at.address, input, signal: new AbortController().signal, meter: createMeter() },
    report: () => undefined,
  };
  let carried: unknown;
  const [rows, blobs]: [number[], number[]] = [[], []];
  for (const stage of at.stagesOf(input)) {
    const before = carried;
    carried = JSON.parse(JSON.stringify(await stage.run(work, carried)));
    if (JSON.stringify(before) === JSON.stringify(carried)) continue;
    const drafts = checkpointDrafts(at.address, { checkpoint: 1, attempt: 1, carried, expiresAt: 0 });
    rows.push(...drafts.map((draft) => Buffer.byteLength(JSON.stringify(draft))));
    const { known } = carried as { known?: { bytesAt?: string } };
    const body = known?.bytesAt === undefined ? undefined : await at.blobs.read(known.bytesAt);
    let size = 0;
    for await (const chunk of body ?? []) size += chunk.length;
    if (size > 0) blobs.push(size);
  }
  const kb = (bytes: number) => Math.round(bytes / 1_000).toLocaleString('en-US');
  proves(
    task,
    `the largest research: rows of ${kb(Math.max(...rows))} KB, ${blobs.length} checkpoints in blobs of at most ${kb(Math.max(...blobs))} KB`,
  );
  expect(blobs.length).toBeGreaterThan(4);
  expect(Math.max(...rows)).toBeLessThan(MAX_ROW);
}, 120_000);
