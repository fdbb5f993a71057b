//! A server of the Model Context Protocol over standard input and output, for programs and agents.
//!
//! | tools | what they do |
//! |---|---|
//! | `look_up`, `search`, `diagnose_log` | what `cgsan explain` does: from the catalogue, as its `--json` has it |
//! | `lint`, `report`, and where it is permitted `run` | start the command itself, and give back the JSON and the text that it writes |
#![forbid(unsafe_code)]

mod arguments;
mod child;
mod commands;
mod incoming;
mod limits;
mod results;
mod tools;

pub use commands::{PARENT, Permitted};
pub use results::Known;

use std::io;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
    CustomResult, ErrorCode, ErrorData, Implementation, ListToolsResult, PaginatedRequestParams,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ServerHandler, ServiceExt};

use crate::commands::Commands;
use crate::limits::LARGEST;

/// What a client is told before it calls anything.
const INSTRUCTIONS: &str = "Explains why a CUDA graph of a PyTorch program does not capture, replays wrong values, takes \
    memory, hangs or does not pay. Give `diagnose_log` the traceback or the log, `lint` the source, `report` a saved trace. \
    Every entry names its cause, fixes with runnable programs, and what does not help.";

/// Serves on standard input and output until the client closes it. What is `permitted` is what commands may be started for.
///
/// # Errors
///
/// If the client does not speak the protocol, or a stream breaks.
pub fn serve(known: Known, permitted: Permitted) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let served = runtime.block_on(async {
        let server = Server {
            known,
            commands: Commands::new(permitted),
        };
        let server = server
            .serve((incoming::requests(), tokio::io::stdout()))
            .await
            .map_err(io::Error::other)?;
        server.waiting().await.map_err(io::Error::other)
    });
    // A thread of the runtime may still wait for a line of standard input.
    runtime.shutdown_background();
    served.map(|_| ())
}

struct Server {
    known: Known,
    commands: Commands,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("cgsan", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all(
            self.commands.permitted().run,
        )))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::all(self.commands.permitted().run)
            .into_iter()
            .find(|tool| tool.name == name)
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        if request.method == incoming::TOO_LARGE {
            return Err(ErrorData::invalid_request(
                format!(
                    "the message is larger than {} MB; give the part around the error, or the path of the file",
                    LARGEST >> 20
                ),
                None,
            ));
        }
        Err(ErrorData::new(
            ErrorCode::METHOD_NOT_FOUND,
            request.method,
            None,
        ))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = serde_json::Value::from(request.arguments.unwrap_or_default());
        let structured = |value| CallToolResult::structured(value);
        let answered = match &*request.name {
            tools::LOOK_UP => results::look_up(arguments, self.known.found_by).map(structured),
            tools::SEARCH => results::search(arguments).map(structured),
            tools::DIAGNOSE => {
                results::diagnose(arguments, self.known, self.commands.permitted()).map(structured)
            }
            tools::LINT => self.commands.lint(arguments, &context).await,
            tools::REPORT => self.commands.report(arguments, &context).await,
            tools::RUN => self.commands.run(arguments, &context).await,
            other => {
                return Err(ErrorData::invalid_params(
                    format!("unknown tool `{other}`"),
                    None,
                ));
            }
        };
        let result =
            answered.unwrap_or_else(|error| CallToolResult::error(vec![ContentBlock::text(error)]));
        Ok(result.into())
    }
}
