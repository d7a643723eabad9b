/** Compares what the scanners find with acknowledged.json, which says for each failed check what protects instead. */
import { fits } from '../../evidence/rehearsal/recorder/allows.ts';

/** A failed check of a scanner. `resource` is a logical id without the hash that the CDK appends. */
export type Finding = { stage: string; check: string; resource: string; says: string };

export type Acknowledgement = {
  check: string;
  /** Logical ids without their hashes; `*` matches any characters. */
  resources: string[];
  /** The stages with the finding; all if absent. */
  stages?: string[];
  /** What protects instead. */
  reason: string;
};

export const withoutHash = (logicalId: string): string => logicalId.replace(/[0-9A-F]{8}$/, '');

type Compared = {
  /** The findings that nobody acknowledged. */
  open: Finding[];
  /** The parts of the acknowledgements that match no finding. */
  idle: string[];
};

export function compare(
  findings: readonly Finding[],
  acknowledgements: readonly Acknowledgement[],
  stages: readonly string[],
): Compared {
  const open = findings.filter(
    (finding) =>
      !acknowledgements.some(
        ({ check, resources, stages: limited = stages }) =>
          check === finding.check &&
          limited.includes(finding.stage) &&
          resources.some((pattern) => fits(pattern, finding.resource)),
      ),
  );
  const idle = acknowledgements.flatMap(({ check, resources, stages: limited }) => {
    const ofCheck = findings.filter((finding) => finding.check === check);
    const inStage = (stage: string) => ofCheck.filter((finding) => finding.stage === stage);
    const places = limited
      ? limited.map((stage) => [` in ${stage}`, inStage(stage)] as const)
      : [['', ofCheck] as const];
    return resources.flatMap((pattern) =>
      places
        .filter(([, reported]) => !reported.some(({ resource }) => fits(pattern, resource)))
        .map(([place]) => `${check} of ${pattern}${place}`),
    );
  });
  return { open, idle };
}
