/** The writer of a workload: in each section that is wished, a sentence for each finding. */

type Finding = { finding: number; text: string; topics: string[] };
type Wished = { sections: { section: number; title: string; kind: string }[] };

const WISHED = 'What is wished:\n';
const SENTENCES = 6;

/** Whether a request is that of a writer. */
export const isReport = (request: string): boolean => /^The findings:\n.*^What is wished:\n\{/ms.test(request);

export function workloadReport(request: string): object {
  const findings = request
    .split('\n')
    .filter((line) => line.startsWith('{"finding":'))
    .map((line) => JSON.parse(line) as Finding);
  const wished = JSON.parse(request.slice(request.lastIndexOf(WISHED) + WISHED.length)) as Wished;
  const sections = wished.sections.flatMap(({ section, title, kind }) => {
    const isIn = ({ topics }: Finding) => (kind === 'topic' ? topics.includes(title) : kind !== 'limits');
    const sentences = findings.filter(isIn).slice(0, SENTENCES).map(sentenceOf);
    return sentences.length === 0 ? [] : [{ section, title: '', paragraphs: [{ sentences }] }];
  });
  return { sections, rows: [] };
}

const sentenceOf = ({ finding, text }: Finding) => ({
  ...{ text, kind: 'fact', findings: [finding], computed: [], sub_question: 0, continues: false },
});
