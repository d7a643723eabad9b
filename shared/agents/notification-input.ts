/** The input of the notification agent. */

import * as v from 'valibot';
import { DAYS } from '../schedules/schedule.ts';
import {
  exactly,
  inside,
  isObject,
  line,
  list,
  maybe,
  modelFields,
  modelTexts,
  type OpenWord,
  oneOf,
  openWord,
  wholeFrom,
  words,
} from './field-schemas.ts';

const MAX_RECIPIENTS = 100;
const MAX_MAIL_ADDRESS = 254;
const MAX_SUBJECT = 150;
const MAX_MESSAGE = 5_000;
const MAX_INSTRUCTIONS = 2_000;
const MAX_CONDITION = 500;
const MAX_FIGURE = 100;
const LAST_DAY = 31;
const FORMATS = ['html', 'markdown', 'text'] as const;
export const MAIL_FORMATS: OpenWord<(typeof FORMATS)[number]> = { choices: FORMATS, fallback: 'html' };
const FREQUENCIES = ['once', 'daily', 'weekly', 'monthly'] as const;

const time = v.pipe(
  v.string('must be a string'),
  v.regex(/^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/, 'must be a time of day, as HH:MM:SS'),
);

const timeZone = v.pipe(words(), v.check(isTimeZone, 'must be the name of a time zone, such as Europe/Berlin'));

/** The dot-atom of RFC 5322 within the lengths of RFC 5321, followed by a host name. */
const MAIL_ADDRESS =
  /^(?=[^@]{1,64}@)[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z][A-Za-z0-9-]{0,61}[A-Za-z0-9]$/;

const mailAddress = v.pipe(
  v.string('must be a string'),
  v.maxLength(MAX_MAIL_ADDRESS, `must have at most ${MAX_MAIL_ADDRESS} characters`),
  v.regex(MAIL_ADDRESS, 'must be an e-mail address, with at most 64 characters before its @'),
);

/** A misspelt field must not send an e-mail to everybody at once. */
const schedule = v.pipe(
  exactly('a schedule', {
    frequency: oneOf(FREQUENCIES),
    day_of_week: maybe(oneOf(DAYS)),
    day_of_month: maybe(wholeFrom(1, LAST_DAY)),
    time: maybe(time),
    timezone: maybe(timeZone),
  }),
  v.forward(
    v.check(
      ({ frequency, day_of_week }) => frequency !== 'weekly' || Boolean(day_of_week),
      `is required with weekly: one of ${DAYS.join(', ')}`,
    ),
    ['day_of_week'],
  ),
  v.forward(
    v.check(
      ({ frequency, day_of_week }) => frequency === 'weekly' || !day_of_week,
      'goes with the frequency weekly only',
    ),
    ['day_of_week'],
  ),
  v.forward(
    v.check(
      ({ frequency, day_of_month }) => frequency === 'monthly' || !day_of_month,
      'goes with the frequency monthly only',
    ),
    ['day_of_month'],
  ),
);

const amount = v.pipe(v.number('must be a number'), v.finite('must be a number'));

/** A misspelt threshold must not send an e-mail to everybody. */
const figureCondition = (sources: readonly string[]) =>
  v.pipe(
    exactly('a condition', {
      figure: line(MAX_FIGURE),
      above: maybe(amount),
      below: maybe(amount),
      source: maybe(oneOf(sources)),
    }),
    v.check(({ above, below }) => above != null || below != null, 'needs above, below or both'),
    v.check(
      ({ above, below }) => above == null || below == null || above < below,
      'needs an above that is less than its below, as the figure has to lie between both',
    ),
  );

/** A sentence for the model, or a figure with a threshold for code. */
const condition = (sources: readonly string[]) =>
  v.union([words(MAX_CONDITION), figureCondition(sources)], conditionFault);

/** Names the field of the object, as a union only knows that nothing fits. */
function conditionFault({ input, issues }: v.UnionIssue<v.BaseIssue<unknown>>): string {
  const inField = issues?.find(({ path }) => path?.length);
  if (isObject(input) && inField) return `is not complete: ${v.getDotPath(inField)} ${inField.message}`;
  return 'must be a sentence, or an object with figure, and above or below';
}

/** Code has to know what the condition is judged by. */
export const hasSources = ({
  data_sources: dataSources,
  message,
}: {
  data_sources?: unknown;
  message?: unknown;
}): boolean => message == null || (Array.isArray(dataSources) && dataSources.length > 0);

export const notificationInput = (sources: readonly string[]) =>
  inside({
    ...modelFields(),
    notification_type: maybe(line()),
    schedule: maybe(schedule),
    // If `content` is absent, the error names its required fields.
    content: v.nullish(
      v.pipe(
        inside({
          recipients: list(mailAddress, { min: 1, max: MAX_RECIPIENTS }),
          data_sources: maybe(list(oneOf(sources))),
          format: maybe(openWord(FORMATS)),
          include_charts: maybe(v.boolean('must be true or false')),
          subject: maybe(line(MAX_SUBJECT)),
          message: maybe(words(MAX_MESSAGE)),
          instructions: maybe(words(MAX_INSTRUCTIONS)),
          condition: maybe(condition(sources)),
        }),
        v.forward(
          v.partialCheck(
            [['condition'], ['data_sources'], ['message']],
            ({ condition: stated, ...content }) => stated == null || hasSources(content),
            'needs data_sources: a message alone has nothing that the condition could be judged by',
          ),
          ['condition'],
        ),
        v.forward(
          v.partialCheck(
            [['include_charts'], ['data_sources'], ['message']],
            ({ include_charts: includesCharts, data_sources: dataSources, message }) =>
              !includesCharts || !message || (dataSources ?? []).length > 0,
            'needs data_sources: an e-mail of a message alone has no figures to draw',
          ),
          ['include_charts'],
        ),
      ),
      {},
    ),
  });

/** Descriptions for the contract; a function, so that bundles leave it out. */
export const notificationTexts = () => ({
  ...modelTexts(),
  notification_type:
    'The title; `report` or `reminder` in it choose the layout, a digest by default. An `alert` needs `content.condition`.',
  schedule: 'When the e-mail is sent; without it, or with null: once, at once. Unknown fields in it are rejected.',
  'schedule.frequency': 'How often. All but `once` recur until the task is cancelled.',
  'schedule.day_of_week': 'The day of a weekly e-mail; required with `weekly`, rejected otherwise.',
  'schedule.day_of_month': 'The day of a monthly e-mail, default 1; a shorter month uses its last day.',
  'schedule.time': 'The local time of the run as HH:MM:SS; `09:00:00` by default for recurring tasks.',
  'schedule.timezone': 'The IANA name of the zone that `time` is in, such as `Europe/Berlin`; default `UTC`.',
  content: 'Who gets the e-mail and what it is made of.',
  'content.recipients': `1 to ${MAX_RECIPIENTS} addresses; each gets an e-mail of its own, once in a run.`,
  'content.data_sources': 'Names from `GET /sources`; default: the built-in ones, or none with a `message`.',
  'content.format':
    '`html` (default) has a text part too; `markdown` and `text` are text alone. Any other word is taken as the default.',
  'content.include_charts':
    'True draws up to three charts of the figures in the sources, which a message alone has none of; false by default.',
  'content.subject': `One line of at most ${MAX_SUBJECT} characters; by default the agent writes it.`,
  'content.message': `A text of your own, introduced as yours and placed first; at most ${MAX_MESSAGE} characters, default none.`,
  'content.instructions': `What matters, in your words: the model chooses, merges and orders the items by it; 1 to ${MAX_INSTRUCTIONS} characters. Needs a language model.`,
  'content.condition': `The e-mail is sent only when this holds for the new items: a sentence of 1 to ${MAX_CONDITION} characters, which a language model judges, or a figure with a threshold. Needs sources; default: it is always sent.`,
  'content.condition.figure': `The label of a figure in the sources, whose latest value is compared; at most ${MAX_FIGURE} characters. Case, accents and spaces do not matter.`,
  'content.condition.above': 'Holds when the latest value is greater than this number; with `below`, both must hold.',
  'content.condition.below': 'Holds when the latest value is less than this number; with `above`, both must hold.',
  'content.condition.source':
    'The source that has the figure; by default the label is looked for in all sources of the e-mail.',
});

export type NotificationInput = v.InferOutput<ReturnType<typeof notificationInput>>;

export type NotificationCondition = NonNullable<NotificationInput['content']['condition']>;
export type FigureCondition = Exclude<NotificationCondition, string>;

/** Only names: Intl also accepts offsets such as +02:00. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== '';
  } catch {
    return false;
  }
}
