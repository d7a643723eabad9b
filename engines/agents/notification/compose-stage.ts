/** Writes the letter that all recipients get, and draws its charts. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { GatheredItems } from '../../../shared/sources/gathered.ts';
import type { Stage } from '../../../shared/tasks/agent.ts';
import type { Chart } from '../../charts/chart.ts';
import { chartInWords } from '../../charts/chart-in-words.ts';
import type { Letter, LetterChart } from '../../mail/letter.ts';
import { OFFLINE } from '../../model/offline.ts';
import { keepJson, readJson } from '../keep.ts';
import { chartsOf } from './charts-of.ts';
import { seriesIn } from './figures.ts';
import { type ModelOpening, openByModel } from './open-by-model.ts';
import { openOffline } from './open-offline.ts';
import type { NotificationPorts, NotificationSetting } from './ports.ts';
import { sinceOf } from './since.ts';
import { handOn, type NotificationCarried } from './state.ts';
import { type Written, writeLetter } from './write-letter.ts';

/** Drawn for a phone, so that its words are no smaller there than the mail's, and fine enough for a wide screen. */
const SIZE = { widthPixels: 340, scale: 3 };

export const composeStage = ({ ports, plan, input }: NotificationSetting): Stage => ({
  name: 'composing',
  async run(work, carried): Promise<NotificationCarried> {
    const { address, signal, report, run } = work;
    const { gatheredAt = '', ...known } = (carried as NotificationCarried).known;
    const gathered = await readJson<GatheredItems[]>(ports, gatheredAt);
    const at = run?.slotAt ?? ports.clock.now();
    const since = await sinceOf(ports.table, { address, asked: input.asked, run });
    const written: Written = { plan, gathered, since, at };
    const opened = await open(await ports.modelOf(input.model, work), written, signal);
    report(1 / 2);
    const charts = plan.charts ? await drawn(ports, chartsOf(gathered.flatMap(seriesIn)), plan.format !== 'text') : [];
    const letter: Letter = writeLetter(written, opened, charts);
    return handOn({
      plan,
      known: {
        ...known,
        letterAt: await keepJson(ports, address, letter),
        subject: letter.subject,
        charts: charts.length,
        queries: opened.answered ? 1 : 0,
      },
      run,
      stages: ['gathering', 'composing'],
    });
  },
});

/** Without anything to read there is nothing to ask. */
async function open(model: LanguageModelV4, written: Written, signal: AbortSignal): Promise<ModelOpening> {
  const hasItems = written.gathered.some(({ items }) => items.length > 0);
  if (model.provider !== OFFLINE && hasItems) return openByModel(model, written, signal);
  return { ...openOffline(written), answered: false };
}

async function drawn({ chartPng }: NotificationPorts, charts: Chart[], asPicture: boolean): Promise<LetterChart[]> {
  const drawing = charts.map(async (chart, at) => {
    const inWords = chartInWords(chart);
    const { title } = chart;
    if (!asPicture) return { title, inWords };
    const png = Buffer.from(await chartPng(chart, SIZE)).toString('base64');
    return { title, inWords, picture: { cid: `chart-${at + 1}@errand`, png } };
  });
  return Promise.all(drawing);
}
