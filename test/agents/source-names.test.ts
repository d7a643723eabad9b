import { expect, it } from 'vitest';
import { publisherName, sourceName } from '../../agents/source-names.ts';

const document = {
  source: 'web search',
  title: 'Fees rise',
  address: 'https://www.news.example.org/fees',
  sample_data: false,
};

it('names a source in words', () => {
  expect(sourceName('market_data')).toBe('Market data');
  expect(sourceName('our-own feeds')).toBe('Our own feeds');
});

it('names as the publisher the site, the file, or the source that an organization has named', () => {
  expect(publisherName(document)).toBe('news.example.org');
  expect(publisherName({ ...document, source: 'news_feeds' })).toBe('news.example.org');
  expect(publisherName({ ...document, source: 'stored files', title: 'tariff.pdf, page 1', address: '/files/1' })).toBe(
    'tariff.pdf, page 1',
  );
  expect(publisherName({ ...document, source: 'port_tariffs' })).toBe('Port tariffs');
});

it('names the collection of sample data, whose sites do not exist, and of what has no address', () => {
  expect(publisherName({ ...document, source: 'market_data', sample_data: true })).toBe('Market data');
  expect(publisherName({ ...document, source: 'market_data', address: '' })).toBe('Market data');
});
