import solid from 'eslint-plugin-solid/configs/typescript';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist', 'src/gen', '**/*.d.ts'] },
  ...tseslint.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx'],
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      'no-restricted-properties': [
        'error',
        { property: 'innerHTML', message: 'Text goes in as text; sanitised fragments come from render/sanitize.' },
        { property: 'outerHTML', message: 'Text goes in as text; sanitised fragments come from render/sanitize.' },
      ],
      eqeqeq: ['error', 'always'],
    },
  },
  { files: ['**/*.tsx'], ...solid },
  {
    files: ['**/*.tsx'],
    rules: {
      // Called by handlers, or made of effects themselves.
      'solid/reactivity': ['error', {
        customReactiveFunctions: ['attempt', 'copyText', 'createSuggestions', 'followRows', 'followTarget', 'announceTurns', 'addEventListener', 'onLast'],
      }],
    },
  },
  { files: ['tests/**'], rules: { 'max-lines': 'off' } },
);
