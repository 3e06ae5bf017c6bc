import { Type } from '@sinclair/typebox';
import { definePluginEntry, jsonResult, type OpenClawPluginApi } from 'openclaw/plugin-sdk/plugin-entry';
import { Unit, reading, type Context, type Params } from './src/reading.js';

export default definePluginEntry({
    id: 'weather',
    name: 'Weather',
    description: 'Made-up weather',
    register(api: OpenClawPluginApi) {
        const unit: Unit = api.pluginConfig?.unit === 'F' ? Unit.F : Unit.C;
        api.registerTool({
            name: 'weather_now',
            label: 'Weather now',
            description: 'The weather at a place',
            parameters: Type.Object({
                place: Type.String({ minLength: 1 }),
                days: Type.Optional(Type.Integer({ minimum: 1 })),
            }),
            async execute(_id: string, params: Params, _signal?: AbortSignal, onUpdate?: (update: unknown) => void) {
                onUpdate?.({ content: [{ type: 'text', text: `looking out at ${params.place}` }] });
                return jsonResult(reading(params.place, unit));
            },
        });
        api.registerTool(
            (context: Context) => ({
                name: 'weather_here',
                description: 'The weather where the agent is',
                parameters: Type.Object({}),
                execute: async () => jsonResult({ ...reading(context.workspaceDir, unit), agent: context.agentId }),
            }),
            { name: 'weather_here' },
        );
        api.registerTool(
            {
                name: 'weather_make',
                description: 'Changes the weather',
                parameters: Type.Object({ to: Type.Union([Type.Literal('rain'), Type.Literal('sun')]) }),
                ownerOnly: true,
                execute: async (_id: string, { to }: { to: string }) => jsonResult({ made: to }),
            },
            { optional: true },
        );
        api.on(
            'before_tool_call',
            (event: { params: Params }) => {
                if (event.params.place === 'Atlantis') return { block: true, blockReason: 'Atlantis has sunk.' };
                if (event.params.place === 'here') return { params: { place: 'Bern' } };
                return undefined;
            },
            { priority: 10, matcher: ['weather_now'] },
        );
    },
});
