import { describe, expect, it } from 'vitest';
import { AGENT_FORMS, fieldsOf } from '../../console/form/agent-forms.ts';
import { choiceNames } from '../../console/form/field-spec.ts';
import { mailTitle, requestSummary } from '../../console/form/request-summary.ts';

const schedule = (fields: Record<string, string>) =>
  mailTitle({
    'input.content.recipients': 'ann@acme.org',
    ...Object.fromEntries(Object.entries(fields).map(([name, text]) => [`input.schedule.${name}`, text])),
  });

describe('the shown input of a task', () => {
  it('uses the labels and words of the form, without empty or hidden fields', () => {
    const form = AGENT_FORMS.find(({ type }) => type === 'research_agent');
    if (!form) throw new Error('There is no form for a research.');
    const values = {
      'input.query': ' Why? ',
      'input.sources': 'market_data\nown_list',
      'input.output_format': 'pdf',
      metadata: 'a: b',
    };
    choiceNames.set('market_data', 'Market data');
    expect(requestSummary(fieldsOf(form), values, form.titleOf)).toEqual({
      title: 'Why?',
      facts: [
        ['What do you want to know?', 'Why?'],
        ['Sources', 'Market data\nown_list'],
        ['Format of the report', 'PDF'],
      ],
    });
  });

  it('includes the time of an email, also when the service chooses it', () => {
    expect(schedule({})).toBe('Digest to ann@acme.org, once');
    expect(schedule({ frequency: 'once', timezone: 'Asia/Tokyo' })).toBe('Digest to ann@acme.org, once');
    expect(schedule({ frequency: 'once', time: '07:30' })).toMatch(/, once at 07:30, UTC$/);
    expect(schedule({ frequency: 'daily' })).toMatch(/, daily at 09:00:00, UTC$/);
    expect(schedule({ frequency: 'weekly', day_of_week: 'monday', time: '07:30', timezone: 'Europe/Berlin' })).toMatch(
      /, weekly on Monday at 07:30, Europe\/Berlin$/,
    );
    expect(schedule({ frequency: 'monthly' })).toMatch(/, monthly on day 1 at 09:00:00, UTC$/);
  });
});
