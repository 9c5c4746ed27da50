/** Questions of the agent: choose, or say it in own words. One answer is sent for all. */
import { createSignal, For, Show } from 'solid-js';
import { createStore } from 'solid-js/store';
import type { PermissionAnswer, PermissionOption, Question } from '../../gen/contracts';

interface Props {
  questions: readonly Question[];
  refusals: readonly PermissionOption[];
  isDisabled: boolean;
  onAnswer: (answer: PermissionAnswer) => void;
}

interface Given {
  chosen: string[];
  words: string;
}

export function answerText(given: Given): string {
  return [...given.chosen, given.words.trim()].filter(Boolean).join(', ');
}

export function QuestionForm(props: Props) {
  // eslint-disable-next-line solid/reactivity -- the questions of a request never change.
  const [given, setGiven] = createStore<Given[]>(props.questions.map(() => ({ chosen: [], words: '' })));
  const [isTried, setTried] = createSignal(false);
  const isWhole = (): boolean => given.every((one) => answerText(one) !== '');
  const choose = (index: number, label: string, isMulti: boolean, isOn: boolean): void => {
    setGiven(index, 'chosen', (chosen) => {
      const rest = isMulti ? chosen.filter((other) => other !== label) : [];
      return isOn ? [...rest, label] : rest;
    });
    if (!isMulti) setGiven(index, 'words', '');
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    setTried(true);
    if (isWhole()) props.onAnswer({ answers: Object.fromEntries(props.questions.map((question, index) => [question.question, answerText(given[index] as Given)])) });
  };
  return (
    <form class="questions" data-testid="questions" onSubmit={submit}>
      <For each={props.questions}>
        {(question, index) => (
          <fieldset class="question" data-testid="question" disabled={props.isDisabled}>
            <legend><Show when={question.header}>{(header) => <span class="chip">{header()}</span>}</Show>{question.question}</legend>
            <For each={question.options}>
              {(option) => (
                <label class="choice">
                  <input
                    type={question.multiSelect ? 'checkbox' : 'radio'} name={`question-${index()}`} checked={given[index()]?.chosen.includes(option.label)}
                    onChange={(event) => choose(index(), option.label, question.multiSelect, event.currentTarget.checked)}
                  />
                  <span><span>{option.label}</span><Show when={option.description}>{(text) => <span class="faint"> {text()}</span>}</Show></span>
                </label>
              )}
            </For>
            <input
              class="field" aria-label={`Own answer to: ${question.question}`} placeholder="Something else…" value={given[index()]?.words ?? ''} data-testid="question-words"
              onInput={(event) => {
                setGiven(index(), 'words', event.currentTarget.value);
                if (!question.multiSelect && event.currentTarget.value) setGiven(index(), 'chosen', []);
              }}
            />
          </fieldset>
        )}
      </For>
      <div class="approval-options">
        <Show when={isTried() && !isWhole()}><p class="item-error" role="alert">Every question needs an answer.</p></Show>
        <button class="button primary" data-testid="answer" disabled={props.isDisabled}>Answer</button>
        <For each={props.refusals}>
          {(option) => <button type="button" class="button" data-testid="approval-option" data-option={option.optionId} disabled={props.isDisabled} onClick={() => props.onAnswer({ optionId: option.optionId })}>{option.name}</button>}
        </For>
      </div>
    </form>
  );
}
