/** Formats times, numbers and words for people. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const UNITS = [
  [DAY, 'day'],
  [HOUR, 'hour'],
  [MINUTE, 'minute'],
] as const;

/** Created at the first use, because creating a formatter takes longer than rendering the page. */
function dates(timeStyle: 'short' | 'medium'): (at: number) => string {
  let format: Intl.DateTimeFormat | undefined;
  return (at) => {
    format ??= new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle });
    return format.format(at);
  };
}

const moment = dates('short');
const exact = dates('medium');

/** `3 minutes ago`; a date if it is more than a week away. */
export function ago(iso: string | null | undefined, now: number, isPlanned = false): string {
  const at = iso ? Date.parse(iso) : Number.NaN;
  if (Number.isNaN(at)) return '—';
  const distance = at - now;
  if (Math.abs(distance) > 7 * DAY) return moment(at);
  if (Math.abs(distance) < MINUTE && isPlanned) return distance > 0 ? 'in less than a minute' : 'due now';
  if (Math.abs(distance) < MINUTE) return distance > 5 * SECOND ? 'in a moment' : 'just now';
  const [unit, name] = UNITS.find(([ms]) => Math.abs(distance) >= ms) ?? UNITS[2];
  const number = Math.trunc(Math.abs(distance) / unit);
  const text = `${number} ${name}${number === 1 ? '' : 's'}`;
  return distance > 0 ? `in ${text}` : `${text} ago`;
}

export function exactTime(iso: string | null | undefined): string {
  const at = iso ? Date.parse(iso) : Number.NaN;
  return Number.isNaN(at) ? '—' : exact(at);
}

/** `12,345.5`, faster than with a formatter. */
export function count(value: number): string {
  const [whole = '', part] = String(value).split('.');
  const grouped = /^-?\d+$/.test(whole) ? whole.replace(/\B(?=(\d{3})+$)/g, ',') : whole;
  return part === undefined ? grouped : `${grouped}.${part}`;
}

export function bytes(size: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB'];
  const power = Math.min(units.length - 1, size < 1 ? 0 : Math.floor(Math.log10(size) / 3));
  const value = size / 1_000 ** power;
  return `${power === 0 ? value : value.toFixed(value < 10 ? 1 : 0)} ${size === 1 ? 'byte' : units[power]}`;
}

/** `0.05` minutes are `3 s`. */
export function duration(minutes: number | null | undefined): string {
  if (minutes === null || minutes === undefined) return '—';
  const seconds = Math.round(minutes * 60);
  if (seconds < 60) return `${seconds} s`;
  const whole = Math.floor(seconds / 60);
  return whole < 60 ? `${whole} min ${seconds % 60} s` : `${Math.floor(whole / 60)} h ${whole % 60} min`;
}

/** Words whose usual spelling differs from the program's. */
const WRITTEN: Record<string, string> = {
  csv: 'CSV',
  email: 'e-mail address',
  emails: 'e-mail addresses',
  html: 'HTML',
  iban: 'IBAN',
  ibans: 'IBANs',
  json: 'JSON',
  pdf: 'PDF',
  url: 'URL',
  urls: 'URLs',
  vat: 'VAT',
  xlsx: 'XLSX',
};

/** `key_findings` is `Key findings`. */
export function words(name: string): string {
  const text = name
    .trim()
    .split(/[_\s-]+/)
    .map((word) => (Object.hasOwn(WRITTEN, word) ? WRITTEN[word] : word))
    .join(' ')
    .trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The label of a choice: time zones and models are names already. */
export const labelOf = (name: string): string => (name.includes('/') ? name : words(name));

/** The end of an id, which is enough to distinguish it. */
export const shortId = (id: string): string => id.slice(-12);
