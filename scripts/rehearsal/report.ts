/** The recording as a table: what a request that went well asks of AWS, by function and route. */
import type { Call, Recording, Request } from './recorder/recording.ts';

type Line = { what: string; calls: number; units: number };

export function report({ functions, requests, calls }: Recording): string {
  const sections = functions.flatMap(({ name }) => {
    const byRoute = Map.groupBy(
      requests.filter((request) => request.function === name),
      ({ route }) => route,
    );
    return [...byRoute].sort().map(([route, those]) => routeSection(`${name}  ${route}`, those, calls));
  });
  return [...sections, ...withoutRequest(calls)].join('\n\n');
}

function routeSection(title: string, requests: Request[], calls: Call[]): string {
  const well = requests.filter(({ status }) => status < 300).map(({ id }) => id);
  const ids = new Set<string | undefined>(well);
  const theirs = calls.filter(({ request }) => ids.has(request));
  const head = `${title}  (${requests.length} requests, ${well.length} of them went well)`;
  return [head, ...(theirs.length > 0 ? [usual(well, theirs)] : []), ...linesOf(theirs, well.length).map(shown)].join(
    '\n',
  );
}

/** What most of them ask for; the others found more, or less, in the memory of their instance. */
function usual(requests: string[], calls: Call[]): string {
  const byRequest = Map.groupBy(calls, ({ request }) => request);
  const ways = Map.groupBy(requests, (id) => namesOf(byRequest.get(id) ?? []));
  const [way, those] = [...ways].reduce((most, each) => (each[1].length > most[1].length ? each : most));
  return `  ${those.length} of them: ${way}`;
}

const namesOf = (calls: Call[]): string => {
  const names = calls.map(({ operation }) => operation).sort();
  return names.join(', ') || 'nothing';
};

/** Signed addresses and polling, in sums. */
function withoutRequest(calls: Call[]): string[] {
  const others = calls.filter(({ request }) => request === undefined);
  const places = Map.groupBy(others, (call) => `${call.function}  ${call.route}`);
  return [...places].sort().map(([place, those]) => [`${place}  (in all)`, ...linesOf(those, 1).map(shown)].join('\n'));
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

/** `table`, `index list`, `object`, `bucket`, `secret`, `log`, the name of a queue. */
export function kindOfResource(resource: string): string {
  if (/Logs[0-9A-F]{8}:Arn$/.test(resource)) return 'log';
  const [, , service, , , ...rest] = resource.split(':');
  const place = rest.join(':');
  if (service === 's3') return place.includes('/') ? 'object' : 'bucket';
  if (service === 'dynamodb') return place.includes('/index/') ? `index ${place.split('/').at(-1)}` : 'table';
  return service === 'secretsmanager' ? 'secret' : place;
}

const shown = ({ what, calls, units }: Line): string =>
  `  ${what.padEnd(44)}${calls.toFixed(2).padStart(8)} calls${units.toFixed(2).padStart(8)} units`;
