/** The parts of tools that are loaded apart from the page: comparing texts and reading terminal colours take room. */
export { ToolBody } from './ToolBody';
export { ToolCounts } from './ToolCounts';
export { RequestInput } from '../request/RequestInput';
