/** Prints the recording as a table: the AWS calls of a successful request, by function and route. */
import type { Call, Recording, Request } from './recorder/recording.ts';
import { usualWay } from './usual-way.ts';

type Line = { what: string; calls: number; units: number };

export function report({ functions, requests, calls }: Recording): string {
  const sections = functions.flatMap(({ name }) => {
    const byRoute = Map.groupBy(
      requests.filter((request) => request.function === name),
      ({ route }) => route,
    );
    return [...byRoute].sort().map(([route, those]) => routeSection(`${name}  ${route}`, those, calls));
  });
  const known = new Set(requests.map(({ id }) => id));
  return [...sections, ...ofNoEvent(calls, known)].join('\n\n');
}

function routeSection(title: string, requests: Request[], calls: Call[]): string {
  const well = requests.filter(({ status }) => status < 300).map(({ id }) => id);
  const ids = new Set<string | undefined>(well);
  const theirs = calls.filter(({ request }) => ids.has(request));
  const head = `${title}  (${requests.length} requests, ${well.length} of them went well)`;
  return [
    head,
    ...(theirs.length > 0 ? [usual(well, theirs)] : []),
    ...linesOf(theirs, well.length).map(lineText),
  ].join('\n');
}

/** The calls that most of the requests make; other requests differ because of their instance's caches. */
function usual(requests: string[], calls: Call[]): string {
  const { requests: those, calls: way } = usualWay(requests, calls);
  return `  ${those.length} of them: ${way.map(({ operation }) => operation).join(', ') || 'nothing'}`;
}

/** Sums of presigned URLs and of polls without messages. */
function ofNoEvent(calls: Call[], known: Set<string>): string[] {
  const others = calls.filter(({ request = '' }) => !known.has(request));
  const places = Map.groupBy(others, (call) => `${call.function}  ${call.route}`);
  return [...places]
    .sort()
    .map(([place, those]) => [`${place}  (in all)`, ...linesOf(those, 1).map(lineText)].join('\n'));
}

function linesOf(calls: Call[], among: number): Line[] {
  const kinds = Map.groupBy(calls, (call) => `${call.service} ${call.operation} ${kindOf(call)}`);
  const lines = [...kinds].map(([what, those]) => ({
    what,
    calls: those.length / among,
    units: those.reduce((sum, { units }) => sum + units, 0) / among,
  }));
  return lines.sort((a, b) => b.calls - a.calls);
}

const kindOf = ({ needs }: Call): string =>
  [...new Set(needs.map(({ resource }) => kindOfResource(resource)))].join(' + ');

/** `table`, `index list`, `object`, `bucket`, `secret`, `log`, `queue NormalLane`, `connections POST`. */
export function kindOfResource(resource: string): string {
  if (/Logs[0-9A-F]{8}:Arn$/.test(resource)) return 'log';
  const [, , service, , , ...rest] = resource.split(':');
  const place = rest.join(':');
  if (service === 's3') return place.includes('/') ? 'object' : 'bucket';
  if (service === 'dynamodb') return place.includes('/index/') ? `index ${place.split('/').at(-1)}` : 'table';
  if (service === 'sqs') return `queue ${/(?:Queues)?(\w+?)(?:Queue)?[0-9A-F]{8}$/.exec(place)?.[1] ?? place}`;
  if (service === 'execute-api') return `connections ${/\/(GET|POST|DELETE)\//.exec(place)?.[1]}`;
  if (service === 'scheduler') return 'schedule';
  if (service === 'ses') return `mail ${place.split('/')[0]} ${place.includes('@') ? 'address' : ''}`.trim();
  return service === 'secretsmanager' ? 'secret' : place;
}

const lineText = ({ what, calls, units }: Line): string =>
  `  ${what.padEnd(44)}${calls.toFixed(2).padStart(8)} calls${units.toFixed(2).padStart(8)} units`;
