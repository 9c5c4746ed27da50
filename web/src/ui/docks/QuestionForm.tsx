/** Questions of the agent: a choice or other words for each. One answer is sent for all. */
import { createSignal, For, Show } from 'solid-js';
import { createStore } from 'solid-js/store';
import type { PermissionAnswer, PermissionOption, Question } from '../../gen/contracts';
import { answersOf, type Given, problemWith, takesWords } from '../../model/answers';
import { isRejection } from '../../model/option-safety';
import { VisibleText } from '../rows/VisibleText';
import type { Guard } from './guard';
import { OptionButton } from './Options';
import { Problem } from './Problem';
import { agentOf } from './request-words';

interface Props {
  sessionId: string;
  title: string;
  questions: readonly Question[];
  options: readonly PermissionOption[];
  guard: Guard;
  isSending: boolean;
  problem: string | undefined;
  onAnswer: (answer: PermissionAnswer) => void;
  ref: (element: HTMLElement) => void;
}

export function QuestionForm(props: Props) {
  // eslint-disable-next-line solid/reactivity -- the questions of a request never change.
  const [given, setGiven] = createStore<Given[]>(props.questions.map(() => ({ chosen: [], words: '' })));
  const [isTried, setTried] = createSignal(false);
  const problemAt = (index: number): string | undefined => problemWith(props.questions[index] as Question, given[index] as Given);
  const problem = (): string | undefined => given.map((_, index) => problemAt(index)).find((found) => found !== undefined);
  const isTitled = (): boolean => props.title !== '' && !props.questions.some((question) => question.question === props.title);
  const choose = (index: number, label: string, isMulti: boolean, isOn: boolean): void => {
    setGiven(index, 'chosen', (chosen) => {
      const rest = isMulti ? chosen.filter((other) => other !== label) : [];
      return isOn ? [...rest, label] : rest;
    });
    if (!isMulti) setGiven(index, 'words', '');
  };
  const write = (index: number, words: string, isMulti: boolean): void => {
    setGiven(index, 'words', words);
    if (!isMulti && words) setGiven(index, 'chosen', []);
  };
  /** All questions may be optional; the option says then that they were answered. */
  const answer = (): PermissionAnswer => {
    const answers = answersOf(props.questions, given);
    const accepted = props.options.find((option) => !isRejection(option));
    return Object.keys(answers).length > 0 || !accepted ? { answers } : { optionId: accepted.optionId };
  };
  const submit = (): void => {
    if (props.isSending) return;
    setTried(true);
    if (problem() === undefined) props.onAnswer(answer());
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return;
    event.preventDefault();
    if (props.guard.takesKey(event) && event.keyCode !== 229) submit();
  };
  return (
    // The button is no submit button, so that only a press that the guard saw can send the form.
    <form class="questions" data-testid="questions" onSubmit={(event) => event.preventDefault()} onKeyDown={onKey}>
      <Show when={isTitled()}><p class="approval-says" data-testid="approval-title"><span class="faint">{agentOf(props.sessionId)} says:</span> <VisibleText text={props.title} /></p></Show>
      <For each={props.questions}>
        {(question, index) => (
          <QuestionField
            question={question} index={index()} isInvalid={isTried() && problemAt(index()) !== undefined} given={given[index()] as Given} onWrite={(words) => write(index(), words, question.multiSelect)}
            onChoose={(label, isOn) => choose(index(), label, question.multiSelect, isOn)}
          />
        )}
      </For>
      <div class="approval-options" role="group" aria-label="Answers" ref={props.ref}>
        <Problem text={(isTried() ? problem() : undefined) ?? props.problem} />
        <button
          type="button" class="button answer" data-testid="answer" data-answer="answer" aria-disabled={!props.guard.isArmed() || props.isSending}
          onClick={(event) => { if (props.guard.takesClick('answer', event)) submit(); }}
        >
          Answer
        </button>
        <For each={props.options.filter(isRejection)}>
          {(option) => <OptionButton option={option} guard={props.guard} isOpen={!props.isSending} onChoose={() => props.onAnswer({ optionId: option.optionId })} />}
        </For>
      </div>
    </form>
  );
}

interface FieldProps {
  question: Question;
  index: number;
  isInvalid: boolean;
  given: Given;
  onChoose: (label: string, isOn: boolean) => void;
  onWrite: (words: string) => void;
}

function QuestionField(props: FieldProps) {
  const label = (): string => `${props.question.options.length > 0 ? 'Other answer' : 'Answer'} for: ${props.question.question}`;
  return (
    <fieldset class="question" data-testid="question">
      <legend><Show when={props.question.header}>{(header) => <span class="chip"><VisibleText text={header()} /></span>}</Show><VisibleText text={props.question.question} /><Show when={props.question.isOptional}><span class="faint"> (optional)</span></Show></legend>
      <For each={props.question.options}>
        {(option) => (
          <label class="choice">
            <input
              type={props.question.multiSelect ? 'checkbox' : 'radio'} name={`question-${props.index}`} checked={props.given.chosen.includes(option.label)}
              onChange={(event) => props.onChoose(option.label, event.currentTarget.checked)}
            />
            <span><span><VisibleText text={option.label} /></span><Show when={option.description}>{(text) => <span class="faint"> <VisibleText text={text()} /></span>}</Show></span>
          </label>
        )}
      </For>
      <Show when={takesWords(props.question)}>
        <input
          class="field" aria-label={label()} aria-invalid={props.isInvalid} placeholder={placeholder(props.question)} inputmode={props.question.answerType ? 'decimal' : 'text'}
          autocomplete="off" value={props.given.words} data-testid="question-words" onInput={(event) => props.onWrite(event.currentTarget.value)}
        />
      </Show>
    </fieldset>
  );
}

const PLACEHOLDERS = { integer: 'A whole number…', number: 'A number…', choice: '' };

function placeholder(question: Question): string {
  if (question.answerType) return PLACEHOLDERS[question.answerType];
  return question.options.length > 0 ? 'Other answer…' : 'Answer…';
}
