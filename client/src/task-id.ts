/** The id of an agent's task, which remembers in its type what the task was submitted as. */
import type {
  AcceptedTask,
  NoResults,
  NotificationResults,
  ProcessingResults,
  RecurringResults,
  ResearchResults,
  Submission,
  TaskResults,
} from './contracts/agents.ts';

export type TaskType = Submission['task_type'];

declare const submittedAs: unique symbol;
/** A plain string is an id of a task of any type. */
export type TaskId<T extends TaskType = TaskType> = string & { readonly [submittedAs]?: T };

export type SubmittedTask<T extends TaskType> = AcceptedTask & { task_id: TaskId<T>; task_type: T };

type CompletedResultsByType = {
  research_agent: ResearchResults;
  processing_agent: ProcessingResults;
  notification_agent: NotificationResults | RecurringResults;
};
/** The results of a task that has completed. */
export type CompletedResults<T extends TaskType = TaskType> = CompletedResultsByType[T];

/** Empty results until the first stage is done. */
export type ResultsOf<T extends TaskType = TaskType> = Omit<TaskResults, 'results'> & {
  results: CompletedResults<T> | NoResults;
};
