// Answers to an agent's questions before they are sent: what they say, and whether the agent can take them.

import type { Question } from '../gen/contracts';

export type Given = { chosen: string[]; words: string };

export function answerText({ chosen, words }: Given): string {
  return [...chosen, words.trim()].filter(Boolean).join(', ');
}

/** Whether words other than the suggested answers are taken. */
export function takesWords(question: Question): boolean {
  return question.answerType !== 'choice';
}

/** What is wrong with one answer. */
export function problemWith(question: Question, given: Given): string | undefined {
  const text = answerText(given);
  if (text === '') return question.isOptional ? undefined : 'Answer every question to continue';
  if (question.answerType === 'integer' && !/^[+-]?\d+$/.test(text)) return 'Enter a whole number';
  if (question.answerType === 'number' && !Number.isFinite(Number(text))) return 'Enter a number';
  return undefined;
}

/** The answers by question; questions that were left out are not in it. */
export function answersOf(questions: readonly Question[], given: readonly Given[]): Record<string, string> {
  const answers = questions.map((question, index) => [question.question, answerText(given[index] ?? { chosen: [], words: '' })] as const);
  return Object.fromEntries(answers.filter(([, text]) => text !== ''));
}
