/** Short sentences, which have few frequent words of their language. */
import { expect, it } from 'vitest';
import { checkClaim } from '../../../agents/research/claims/check-claim.ts';

const verdictOf = (claim: string, sentences: string, more: object = {}) => {
  const one = checkClaim(claim, [{ sentences, title: 'Report', ...more }]);
  return one.verdict === 'rejected' ? one.reason : one.verdict;
};

it.each([
  ['Kestrel revenue rose 12 per cent.', 'Kestrel revenue fell 12 per cent.', 'direction'],
  ['Kestrel climbed 8 per cent last quarter.', 'Kestrel dropped 8 per cent last quarter.', 'direction'],
  ['Le fret a augmenté de 5 %.', 'Le fret a baissé de 5 %.', 'direction'],
  ['La produzione è aumentata.', 'La produzione è calata.', 'direction'],
  ['El paro bajó.', 'El paro subió.', 'direction'],
  ['Der Umsatz stieg.', 'Der Umsatz fiel.', 'direction'],
  ['Il governo ha approvato la legge.', 'Il governo non ha approvato la legge.', 'negation'],
  ['Kestrel a versé un dividende.', "Kestrel n'a pas versé de dividende.", 'negation'],
  ['La loi entre en vigueur en mai.', "La loi n'entre pas en vigueur en mai.", 'negation'],
  ['The council rejected the plan.', 'The council approved the plan.', 'direction'],
  ['The bridge was closed in May.', 'The bridge was opened in May.', 'direction'],
  ['Der Rat genehmigte den Plan.', 'Der Rat lehnte den Plan ab.', 'direction'],
  ['Kestrel reported a profit of 3 million euros.', 'Kestrel reported a loss of 3 million euros.', 'direction'],
  ['La producción bajó un 5 %.', 'La producción subió un 5 %.', 'direction'],
  ['Sales improved by 5 per cent.', 'Sales worsened by 5 per cent.', 'direction'],
  ['Fewer than 500 people were hurt.', 'More than 500 people were hurt.', 'direction'],
  ['Output tripled.', 'Output doubled.', 'direction'],
  ['The plant closes after 2027.', 'The plant closes before 2027.', 'direction'],
  ['Cargo grew by 6.5 percent.', 'Cargo was 6.5 percent less than a year earlier.', 'direction'],
  ['Der Umschlag sank um 5 %.', 'Der Umschlag war 5 % mehr als im Vorjahr.', 'direction'],
  ['Traffic rose to 310,000 tonnes.', 'Traffic rose to 310,000 units.', 'unit'],
  ['The plant uses 300 gallons.', 'The plant uses 300 litres.', 'unit'],
  ['The plant uses 900 kilowatt-hours a year.', 'The plant uses 900 kilowatt-hours a day.', 'unit'],
  ['The line is 40 miles long.', 'The line is 40 km long.', 'unit'],
  ['The wait was 20 hours.', 'The wait was 20 minutes.', 'unit'],
  ['The line opens in autumn 2027.', 'The line opens in spring 2027.', 'date'],
])('%s is refused where the source says: %s', (claim, source, reason) => {
  expect(verdictOf(claim, source)).toBe(reason);
});

it.each([
  ['Norwegian exports lost 12 per cent.', 'Exports of Norway lost 12 per cent.'],
  ['British output grew by 3 per cent.', 'Output in the UK grew by 3 per cent.'],
  ['Twelve ships waited.', '12 ships waited.'],
  ['The plant uses 900 kWh a day.', 'The plant uses 900 kilowatt-hours per day.'],
  ['The loss became a profit in 2026.', 'In 2026 the loss turned into a profit.'],
  ['Doubling in price, the fare is now 8 euros.', 'The fare doubled to 8 euros.'],
  ['The fund sold the ports that it had bought.', 'The fund had bought the ports and sold them.'],
])('%s may rest on: %s', (claim, source) => {
  expect(verdictOf(claim, source)).toMatch(/open|supported/);
});

it('knows whom a sentence is about from the beginning of its document, and the language of the document', () => {
  const source = 'The tenant may leave on 31 March 2029.';
  const claim = 'Orla Foods may leave on 31 March 2029.';
  expect(verdictOf(claim, source)).toBe('name');
  expect(verdictOf(claim, source, { beginning: 'Lease between Kersten and Orla Foods (the tenant)' })).toBe('open');
  const [said, wrong] = ['Umsatz 2025 gestiegen.', 'Umsatz 2025 gesunken.'];
  expect(verdictOf(wrong, said, { language: 'de' })).toBe('direction');
});
